// How much a workspace runs: a lease for each run that is not over, the seconds of the day, and each person's runs of the minute. One row has
// them all, so that one conditional write decides.
import { dayMs } from "../kernel/period.ts";
import { Refusal } from "../kernel/refusal.ts";
import { leaseEnd, type RunRecord } from "./run.ts";
import { useLimits } from "./run-limits.ts";

export type RunUse = {
  /** The number of changes, by which each write is conditional. */
  version: number;
  /** The day (UTC) that the seconds are of. */
  day: string;
  seconds: number;
  /** For each run, by its id: when it is over at the latest, and how many seconds it may take. */
  leases: Record<string, { until: number; seconds: number }>;
  /** The minute that the calls are of, and how many each person has made in it. */
  minute: number;
  calls: Record<string, number>;
};

const minuteMs = 60_000;

/** The use as it counts now: another day or minute begins at 0, and a lease that is over counts as if its run had taken all of its time. */
export function currentUse(use: RunUse | undefined, now: number): RunUse {
  const day = new Date(now).toISOString().slice(0, 10);
  const minute = Math.floor(now / minuteMs);
  const { version = 0, leases = {} } = use ?? {};
  const ended = Object.values(leases).filter(({ until }) => until < now);
  const seconds = (use?.day === day ? use.seconds : 0) + secondsOf(ended);
  const open = Object.entries(leases).filter(([, { until }]) => until >= now);
  const calls = use?.minute === minute ? use.calls : {};
  return { version, day, seconds, leases: Object.fromEntries(open), minute, calls };
}

/** @throws Refusal rate_limited or concurrency_limited, with the time after which it may go better */
export function withRun(use: RunUse | undefined, run: RunRecord, now: number): RunUse {
  const current = currentUse(use, now);
  const calls = current.calls[run.caller_id] ?? 0;
  if (calls >= useLimits.ofMinute) {
    const retryAfterSeconds = secondsUntil((current.minute + 1) * minuteMs, now);
    throw limited("rate_limited", `A person starts at most ${useLimits.ofMinute} runs a minute`, retryAfterSeconds);
  }
  const leases = Object.values(current.leases);
  if (leases.length >= useLimits.atOnce) {
    throw limited("concurrency_limited", `A workspace has at most ${useLimits.atOnce} runs at once`, 5);
  }
  if (current.seconds + secondsOf(leases) + run.timeout_seconds > useLimits.secondsOfDay) {
    const retryAfterSeconds = secondsUntil((Math.floor(now / dayMs) + 1) * dayMs, now);
    const message = `A workspace's runs take at most ${useLimits.secondsOfDay} seconds a day (UTC), and this one could exceed them`;
    throw limited("rate_limited", message, retryAfterSeconds);
  }
  return { ...withLease(current, run), calls: { ...current.calls, [run.caller_id]: calls + 1 } };
}

/** The use once a run has begun: its lease is over sooner than that of a run that waits. */
export function withBegun(use: RunUse | undefined, run: RunRecord, now: number): RunUse {
  return withLease(currentUse(use, now), run);
}

function withLease(use: RunUse, run: RunRecord): RunUse {
  const lease = { until: leaseEnd(run), seconds: run.timeout_seconds };
  return { ...use, version: use.version + 1, leases: { ...use.leases, [run.run_id]: lease } };
}

/** The use without the run's lease, and with the seconds that the run took; undefined if the run holds no lease any more. */
export function withoutRun(
  use: RunUse | undefined,
  { run_id, seconds = 0 }: RunRecord,
  now: number,
): RunUse | undefined {
  const current = currentUse(use, now);
  const { [run_id]: lease, ...leases } = current.leases;
  if (!lease) return undefined;
  return { ...current, version: current.version + 1, leases, seconds: current.seconds + seconds };
}

const secondsOf = (leases: readonly { seconds: number }[]) => leases.reduce((sum, { seconds }) => sum + seconds, 0);
const secondsUntil = (time: number, now: number) => Math.max(1, Math.ceil((time - now) / 1000));

function limited(code: "rate_limited" | "concurrency_limited", message: string, retryAfterSeconds: number): Refusal {
  return new Refusal(code, `${message}: try again later`, { retryAfterSeconds });
}
