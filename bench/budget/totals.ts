// Many runs taken together: sums, the worst of them, and what a request cost in calls to the store.
import { quantile } from "../statistics.ts";
import { type Purpose, purposes } from "./account.ts";

type StoreCalls = Record<Purpose, number>;

/** Calls to the store on the warm path: one write admits a call, and two settle it. */
const warmPath: Purpose[] = ["admission", "ledger", "settlement"];

export function sum<T>(runs: readonly T[], of: (run: T) => number): number {
  return runs.reduce((total, run) => total + of(run), 0);
}

export function most<T>(runs: readonly T[], of: (run: T) => number): number {
  return runs.reduce((so, run) => Math.max(so, of(run)), Number.NEGATIVE_INFINITY);
}

export function perThousand(count: number, calls: number): number {
  return calls === 0 ? 0 : (1_000 * count) / calls;
}

/** Seconds that half of those who waited, and all but one of a hundred, had to wait; 0 if nobody did. */
export function waitQuantiles(runs: readonly { waits: number[] }[]): [p50: number, p99: number] {
  const waits = runs.flatMap((run) => run.waits);
  if (waits.length === 0) return [0, 0];
  return [quantile(waits, 0.5) / 1_000, quantile(waits, 0.99) / 1_000];
}

/** Calls to the store for each admitted request: those beyond the warm path, by purpose, and all of them. */
export function storeCallsEach(runs: readonly { admitted: number; storeCalls: StoreCalls }[]) {
  const admitted = sum(runs, (run) => run.admitted);
  const each = (purpose: Purpose) =>
    sum(runs, ({ storeCalls }) => storeCalls[purpose]) / admitted - (warmPath.includes(purpose) ? 1 : 0);
  const extra = Object.fromEntries(purposes.map((purpose) => [purpose, each(purpose)])) as StoreCalls;
  return { extra, all: warmPath.length + sum(Object.values(extra), (count) => count) };
}
