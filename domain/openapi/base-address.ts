// The one address below which an API's tools call: the document's server, or the address that a person gives in its place. Operations that
// the document sends elsewhere are not offered.
import { list, record } from "../kernel/json.ts";
import { upstreamUrlProblem } from "../upstream/upstream-url.ts";
import type { SpecOperation } from "./document.ts";
import type { SpecProblem } from "./problem.ts";

export type BaseAddress = {
  /** Without a slash at the end. */
  url: string;
  isOffered: (operation: SpecOperation) => boolean;
};

/**
 * The server of most of the operations.
 * @param operations that were chosen
 * @param given by a person, and judged as an address already: it takes the server's place
 */
export function baseAddress(
  document: unknown,
  operations: readonly SpecOperation[],
  given: string | undefined,
): BaseAddress | { problem: SpecProblem } {
  const standard = urlsOf(record(document));
  const home = mostCommon(operations.map((operation) => serversOf(operation) ?? standard));
  const isOffered = (operation: SpecOperation) =>
    home === undefined || (serversOf(operation) ?? standard).includes(home);
  if (given !== undefined) return { url: withoutSlash(given), isOffered };
  if (home === undefined) {
    const message = "does not name the API's address: give it as base_url";
    return { problem: { code: "server_missing", path: "servers", message } };
  }
  const problem = upstreamUrlProblem(home);
  if (problem === undefined) return { url: withoutSlash(home), isOffered };
  const message = `names ${home.slice(0, 200)}, but the API's address ${problem}: give it as base_url`;
  return { problem: { code: "server_invalid", path: "servers", message } };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

/** The servers that an operation has beside the document's; undefined if it has none. */
function serversOf({ operation, pathItem }: SpecOperation): string[] | undefined {
  const [first] = [operation, pathItem].filter(({ servers }) => list(servers).length > 0);
  return first && urlsOf(first);
}

/** The address that most operations have; the first of several, and one that can be called before one that cannot. */
function mostCommon(urls: readonly (readonly string[])[]): string | undefined {
  const counts = new Map<string, number>();
  for (const url of urls.flat()) counts.set(url, (counts.get(url) ?? 0) + 1);
  const callable = [...counts].filter(([url]) => upstreamUrlProblem(url) === undefined);
  return (callable.length > 0 ? callable : [...counts]).sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** The addresses of a list of servers. A variable has its default: the value that is sent if nobody chooses another. */
function urlsOf({ servers }: Record<string, unknown>): string[] {
  return list(servers).flatMap((server) => {
    const { url, variables } = record(server);
    if (typeof url !== "string") return [];
    return [url.replace(/\{([^{}]*)\}/g, (whole, name) => String(record(record(variables)[name]).default ?? whole))];
  });
}
