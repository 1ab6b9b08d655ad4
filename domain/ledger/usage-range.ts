// The range of time of a usage query, in whole hours of UTC.
import { dayMs, hourOf, monthOf, nextMonth, startOfMonth } from "../kernel/period.ts";
import { fieldRefusal, type Refusal } from "../kernel/refusal.ts";
import { retentionMs, retentionText } from "../kernel/retention.ts";
import { ledgerRetention } from "./ledger.ts";
import { rollupRetention } from "./rollup.ts";

/** Milliseconds since the epoch, each the beginning of an hour. `to` is exclusive. */
export type UsageRange = { from: number; to: number };

type Asked = { from?: number | undefined; to?: number | undefined };

/** The range of a query that rollups answer; this month by default. @throws Refusal invalid_request */
export function rollupRange({ from, to }: Asked, now: number): UsageRange {
  const start = from ?? startOfMonth(monthOf(to === undefined ? now : to - 1));
  const range = ordered({ from: start, to: to ?? nextMonth(Math.max(now, start)) });
  const latest = new Date(range.from);
  latest.setUTCMonth(latest.getUTCMonth() + rollupRetention.months);
  if (range.to > latest.getTime()) throw refused("to", `must be at most ${retentionText(rollupRetention)} after from`);
  return range;
}

/** The beginning of the first month of which rollups are kept, in milliseconds. */
export function oldestRollup(now: number): number {
  const oldest = new Date(startOfMonth(monthOf(now)));
  oldest.setUTCMonth(oldest.getUTCMonth() - rollupRetention.months);
  return oldest.getTime();
}

/** The range of a query that needs the ledger: at most a day, today by default. @throws Refusal invalid_request */
export function ledgerRange({ from, to }: Asked, now: number): UsageRange {
  const today = Math.floor(now / dayMs) * dayMs;
  const start = from ?? (to === undefined ? today : to - dayMs);
  const range = ordered({ from: start, to: to ?? start + dayMs });
  const oldest = now - retentionMs(ledgerRetention);
  if (range.from < oldest) {
    throw refused(
      "from",
      `single calls are kept for ${retentionText(ledgerRetention)}, so must not be before ${hourOf(oldest)}:00:00Z`,
    );
  }
  if (range.to - range.from > dayMs)
    throw refused("to", "must be at most one day after from for keys, agents, sessions and single calls");
  return range;
}

function ordered(range: UsageRange): UsageRange {
  if (range.from < range.to) return range;
  throw refused("to", "must be after from");
}

function refused(field: "from" | "to", message: string): Refusal {
  return fieldRefusal("invalid_request", field, message);
}
