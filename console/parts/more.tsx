// Lists by pages: the rows so far, and a button for more.
import { type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Answer, CallInput, ReadName } from "../app/api.ts";
import { type CallError, call } from "../app/call.ts";
import { Loaded } from "./state.tsx";

type Page = { data: unknown[]; next_cursor?: string | undefined };
type ListName = { [N in ReadName]: Answer<N> extends Page ? N : never }[ReadName];
type Row<N extends ListName> = Answer<N> extends { data: (infer R)[] } ? R : never;

/** All rows that were loaded, and whether there are more. */
export function useList<N extends ListName>(name: N, input: CallInput<N>) {
  return useInfiniteQuery<Page, CallError, Row<N>[], readonly unknown[], string | undefined>({
    queryKey: [name, "pages", input],
    initialPageParam: undefined,
    queryFn: ({ pageParam: cursor, signal }) => {
      const { query, ...rest } = input as { query?: object };
      return (call as unknown as Read)(name, { ...rest, query: { ...query, cursor }, signal });
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data) as Row<N>[],
  });
}
type Read = (name: string, input: object) => Promise<Page>;

/** The most pages that are read for one chart: 5,000 rows of usage. */
const mostPages = 5;

/** The rows of the first pages together, with what the first page says beside its rows. `next_cursor` is there if there are more. */
export function useWhole<N extends ListName>(name: N, input: CallInput<N>) {
  return useQuery<Answer<N>, CallError>({
    queryKey: [name, "whole", input],
    queryFn: async ({ signal }) => {
      const { query, ...rest } = input as { query?: object };
      const ask = (more: object) => (call as unknown as Read)(name, { ...rest, query: { ...query, ...more }, signal });
      const first = await ask({});
      let last = first;
      const data = [...first.data];
      for (let page = 1; last.next_cursor !== undefined && page < mostPages; page++) {
        last = await ask({ cursor: last.next_cursor, totals: "false" });
        data.push(...last.data);
      }
      return { ...first, data, next_cursor: last.next_cursor } as Answer<N>;
    },
  });
}

type List<R> = UseInfiniteQueryResult<R[], CallError>;

export function Rows<R>({
  list,
  empty,
  children,
}: {
  list: List<R>;
  empty: ReactNode;
  children: (rows: R[]) => ReactNode;
}) {
  return (
    <Loaded query={list}>
      {(rows) => (
        <>
          {rows.length === 0 ? empty : children(rows)}
          {list.hasNextPage && (
            <button type="button" disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
              Show more
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}
