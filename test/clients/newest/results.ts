// What a run found, as it is stored, and what has changed since the run before.
import type { Outcome } from "./play.ts";

export type ClientResult = {
  /** Undefined if it could not be installed. */
  version?: string;
  registry: string;
  package: string;
  /** By scenario. */
  outcomes: Record<string, Outcome>;
  /** Flags and fields that were left out of its requests, as `x-archway-dropped` named them. */
  leftOut: string[];
  /** Fields of its requests, and of the SDK's types, that nobody has classed. */
  unclassed: string[];
  /** Why it could not be installed. */
  missing?: string;
};

/** What a client saw of a silence of the model host, and what was billed for it. */
export type Silence = { client: string; point: string; seconds: string; saw: string; billed: string };

export type Results = {
  day: string;
  clients: Record<string, ClientResult>;
  silences: Silence[];
};

export const nothing: Results = { day: "", clients: {}, silences: [] };

/** In words, one line for each thing. Clients that were not played have not changed. */
export function changes(before: Results, now: Results): string[] {
  return Object.entries(now.clients).flatMap(([name, client]) => changesOf(name, before.clients[name], client));
}

function changesOf(name: string, before: ClientResult | undefined, now: ClientResult): string[] {
  if (!before) return [`${name} ${now.version ?? ""}: new here`];
  const told = [];
  if (now.version !== before.version)
    told.push(`${before.version ?? "not to be had"} -> ${now.version ?? now.missing}`);
  for (const [scenario, outcome] of Object.entries(now.outcomes)) {
    const was = before.outcomes[scenario];
    if (was?.is !== outcome.is || (outcome.is === "vendor" && was.why !== outcome.why)) {
      told.push(`${scenario} was ${was ? wordsOf(was) : "not played"}, is ${wordsOf(outcome)}`);
    }
  }
  const unclassed = difference(now.unclassed, before.unclassed);
  if (unclassed.length > 0) told.push(`sends what nobody has classed: ${unclassed.join(", ")}`);
  const [more, fewer] = [difference(now.leftOut, before.leftOut), difference(before.leftOut, now.leftOut)];
  if (more.length > 0) told.push(`left out as well: ${more.join(", ")}`);
  if (fewer.length > 0) told.push(`not left out any more: ${fewer.join(", ")}`);
  return told.map((each) => `${name}: ${each}`);
}

const difference = (one: string[], other: string[]) => one.filter((each) => !other.includes(each));

/** What was not played stays as it was found with the same version. */
export function merged(before: ClientResult | undefined, now: ClientResult): ClientResult {
  if (before?.version === undefined || before.version !== now.version) return now;
  if (Object.keys(before.outcomes).every((scenario) => now.outcomes[scenario] !== undefined)) return now;
  return {
    ...now,
    outcomes: { ...before.outcomes, ...now.outcomes },
    leftOut: all("leftOut"),
    unclassed: all("unclassed"),
  };

  function all(name: "leftOut" | "unclassed"): string[] {
    return [...new Set([...(before?.[name] ?? []), ...now[name]])].sort();
  }
}

export const wordsOf = ({ is, why }: Outcome): string => (why && is !== "ok" ? `${is} (${why})` : is);
