// Names of callers: people by their address, service accounts by their name, anybody whom the workspace does not know by their id.
import { useQueries } from "@tanstack/react-query";
import type { Answer } from "../app/api.ts";
import { call } from "../app/call.ts";
import { useIsOwner, useVisitor } from "../app/page.ts";

/** The most ids that one question may name. */
const most = 100;

/** Asks for the names of these callers, and gives what is known by now. */
export function useNames(callerIds: readonly (string | undefined)[]): (callerId: string) => string {
  const { me } = useVisitor();
  const isOwner = useIsOwner();
  const wanted = [...new Set(callerIds)].filter((id) => id !== undefined && id !== me.user_id).sort() as string[];
  const parts = Array.from({ length: Math.ceil(wanted.length / most) }, (_, at) =>
    wanted.slice(at * most, (at + 1) * most),
  );
  const names = useQueries({
    queries: (isOwner ? parts : []).map((ids) => ({
      queryKey: ["names", ids],
      queryFn: () => call("GET /v1/callers", { query: { caller_id: ids.join(","), limit: most } }),
    })),
    combine: (answers) => new Map(answers.flatMap(({ data }) => named(data))),
  });
  if (me.email) names.set(me.user_id, me.email);
  return (callerId) => names.get(callerId) ?? callerId;
}

function named(answer: Answer<"GET /v1/callers"> | undefined): [string, string][] {
  return (answer?.data ?? []).flatMap(({ caller_id, name }) => (name ? [[caller_id, name]] : []));
}
