// The names of an API's tools: an operation's id in plain letters, or its method and path. A name stays with its method and path in later
// versions of the document, so that rules which name tools go on binding the same operations.
import { placeOf, type SpecOperation } from "./document.ts";

/** Clients join the gateway's, the integration's and the tool's name, and some take 64 characters for all. */
const longestName = 60;

/** Names by method and path, e.g. `GET /pets`. */
export type ToolNames = ReadonlyMap<string, string>;

/**
 * @param kept names in the version before
 * @param digest a short hash
 */
export function toolNames(
  operations: readonly SpecOperation[],
  { kept, digest }: { kept: ToolNames; digest: (text: string) => string },
): ToolNames {
  const wished = operations.map((operation) => ({ place: placeOf(operation), name: wishedName(operation, digest) }));
  const counts = new Map<string, number>();
  const places = new Set(wished.map(({ place }) => place));
  const taken = new Set([...kept].flatMap(([place, name]) => (places.has(place) ? [name] : [])));
  for (const { name } of wished) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    wished.map(({ place, name }) => {
      const before = kept.get(place);
      if (before !== undefined) return [place, before];
      const isOwn = counts.get(name) === 1 && !taken.has(name);
      return [place, isOwn ? name : hashed(name, digest(place))];
    }),
  );
}

function wishedName({ operation, method, template }: SpecOperation, digest: (text: string) => string): string {
  const id = typeof operation.operationId === "string" ? operation.operationId : "";
  const name = plainLetters(id) || plainLetters(`${method}_${template}`);
  return name.length > longestName ? hashed(name, digest(id || `${method} ${template}`)) : name;
}

function plainLetters(text: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(text)) return text;
  return text.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^_+|_+$/g, "");
}

function hashed(name: string, hash: string): string {
  const end = hash.slice(0, 6);
  return `${name.slice(0, longestName - end.length - 1)}_${end}`;
}
