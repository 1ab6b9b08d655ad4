// One cell of the tables: a client, how it knows the caller, what was done with it, and what came of it.
import { isFailure, isProbe, isReadable } from "./judge.ts";
import type { Exchange } from "./recorder.ts";
import type { ClientName } from "./scenarios.ts";

/** A key that the person gave the client, or what `archway setup` wrote. */
export type Way = "key" | "setup";
export type Mode = "headless" | "terminal";

export type Cell = {
  client: ClientName;
  way: Way;
  mode: Mode;
  scenario: string;
  /** A refusal is what the scenario is about. */
  isRefusal: boolean;
  exchanges: Exchange[];
  /** The time of the longest step, starts not counted. */
  milliseconds: number;
  /** The terminal's text at the end, or all that was written. */
  text: string;
  problems: string[];
};

/** `0`, or `2 (400 x 1, 404 x 1)`: what was not answered with success, probes left out. */
export function failures({ exchanges }: Pick<Cell, "exchanges">): string {
  const failed = exchanges.filter((exchange) => isFailure(exchange) && !isProbe(exchange));
  if (failed.length === 0) return "0";
  const counts = Map.groupBy(failed, ({ status, inStream }) => (inStream ? `${status} broken off` : nameOf(status)));
  const [[only] = [""], ...others] = [...counts];
  if (others.length === 0) return `${failed.length} (${only})`;
  return `${failed.length} (${[...counts].map(([status, { length }]) => `${status} x ${length}`).join(", ")})`;
}

function nameOf(status: number): string {
  if (status === -1) return "left by the client";
  return status === -2 ? "no answer" : String(status);
}

/** The last refusal's text, and whether it could be read at the end. */
export function refusalOf({
  exchanges,
  text,
}: Pick<Cell, "exchanges" | "text">): { status: number; error: string; isRead: boolean } | undefined {
  const refusal = exchanges.findLast((exchange) => isFailure(exchange) && !isProbe(exchange));
  if (!refusal) return undefined;
  return { status: refusal.status, error: refusal.error ?? "", isRead: isReadable(refusal, text) };
}
