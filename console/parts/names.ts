// Names of callers and keys: people by their address, service accounts by their name, keys by name and last letters; what the workspace
// does not know by its id.
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
  const names = useQueries({
    queries: (isOwner ? inParts(callerIds.filter((id) => id !== me.user_id)) : []).map((ids) => ({
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

/** Asks for the names of these keys, and gives what is known by now. A developer learns those of their own keys. */
export function useKeyNames(keyIds: readonly (string | undefined)[]): (keyId: string) => string {
  const names = useQueries({
    queries: inParts(keyIds).map((ids) => ({
      queryKey: ["key names", ids],
      queryFn: () => call("GET /v1/keys", { query: { key_id: ids.join(",") } }),
    })),
    combine: (answers) =>
      new Map(
        answers.flatMap(({ data }) =>
          (data?.data ?? []).map(({ key_id, name, last4 }) => [key_id, `${name || "key"}\u00a0…${last4}`] as const),
        ),
      ),
  });
  return (keyId) => names.get(keyId) ?? keyId;
}

/** Each id once, as many together as one question may name. */
function inParts(ids: readonly (string | undefined)[]): string[][] {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined && id !== "").sort() as string[];
  return Array.from({ length: Math.ceil(wanted.length / most) }, (_, at) => wanted.slice(at * most, (at + 1) * most));
}
