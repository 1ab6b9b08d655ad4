// Server state: one query for each read, by path and input, so that pages share what they have loaded.
import { QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Answer, CallInput, ReadName } from "./api.ts";
import { CallError, call } from "./call.ts";

/** The API serves rows that may be a minute old; younger answers here are not asked for again. */
const freshMs = 15_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      // A refusal stays one; what is overloaded or away is asked again.
      retry: (count, error) => count < 2 && isPassing(error),
      retryDelay: (count, error) => 1_000 * ((error as CallError).retryAfter ?? 2 ** count),
    },
    mutations: { retry: false },
  },
});

/** True for what may succeed when it is asked again: no connection, too many calls, a platform in trouble. */
export function isPassing(error: unknown): boolean {
  return error instanceof CallError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Reads the answer of a GET. `input` is part of the key, so another filter is another query. */
export function useRead<N extends ReadName>(
  name: N,
  input?: CallInput<N>,
  options: { enabled?: boolean; refetchInterval?: number | false } = {},
) {
  return useQuery<Answer<N>, CallError>({
    queryKey: [name, input ?? {}],
    queryFn: ({ signal }) => (call as Read<N>)(name, { ...input, signal }),
    ...options,
  });
}
type Read<N extends ReadName> = (name: N, input: object) => Promise<Answer<N>>;

/** A change. What it may have changed is read anew, all of it: lists are short and reads are cheap. */
export function useChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
  onDone?: (() => void) | ((result: Result) => void),
) {
  const client = useQueryClient();
  // A button is disabled by a rendering, and the second click of a double click comes before it.
  const isBeforeRendering = useRef(false);
  const mutation = useMutation<Result, CallError, Input>({
    mutationFn: change,
    // Told to the hook and not to `mutate`: the part that asked may be gone by then, since what it changed decides what is shown.
    ...(onDone && { onSuccess: onDone }),
    onSettled: () => client.invalidateQueries(),
  });
  useEffect(() => {
    if (!mutation.isIdle) isBeforeRendering.current = false;
  });
  const mutate: typeof mutation.mutate = (...given) => {
    if (isBeforeRendering.current) return;
    isBeforeRendering.current = true;
    mutation.mutate(...given);
  };
  return { ...mutation, mutate };
}
