// Reads usage: closed hours from the rollups, and hours that the meter has not closed yet from the ledger, so that a call shows
// within seconds. The meter's progress tells which hours are closed. Everything is read in the order of time, one page after another.
import type { NanoUsd } from "../kernel/money.ts";
import { hourMs, hourOf, monthOf, nextMonth, startOfHour, startOfMonth } from "../kernel/period.ts";
import { Refusal } from "../kernel/refusal.ts";
import { retentionMs } from "../kernel/retention.ts";
import type { FirstCalls } from "./first-calls.ts";
import { type LedgerRow, type LedgerStore, ledgerRetention } from "./ledger.ts";
import type { MeteringProgressStore } from "./metering-progress.ts";
import { nothingUsed, type RollupStore } from "./rollup.ts";
import {
  callGroupings,
  entryOf,
  type Grouping,
  type Place,
  type UsageEntry,
  UsageGroups,
  type UsageRow,
} from "./usage-groups.ts";
import { oldestRollup, type UsageRange } from "./usage-range.ts";

export type UsageReaderDependencies = {
  rollups: Pick<RollupStore, "list">;
  ledger: Pick<LedgerStore, "hour">;
  progress: Pick<MeteringProgressStore, "of">;
  firstCalls: FirstCalls;
  clock: () => number;
};

export type UsageQuestion = {
  tenantId: string;
  range: UsageRange;
  by: readonly Grouping[];
  /** If set, only usage of this caller is read. */
  callerId?: string | undefined;
  limit: number;
  after?: Place | undefined;
  /** Makes what says of the rows of open hours, in their order, what free credit pays. By default it is what it paid at their admission. */
  credits?: (() => (row: LedgerRow) => NanoUsd) | undefined;
  /** Sum up the whole range too, which reads all of it for each page. */
  withTotals?: boolean | undefined;
};

export type UsageAnswer = ReturnType<UsageGroups["page"]> & {
  /** The sum of the whole range, whatever page is shown. Undefined if it was not asked for, or holds more than one answer reads. */
  totals?: UsageRow | undefined;
  /** The answer counts calls that were settled until this time, in milliseconds. */
  asOf: number;
  /** The first hour of the range that can still change, in milliseconds; undefined if all hours are closed. */
  openSince: number | undefined;
  /** False if the open hours hold more calls than one answer reads. The rest shows once these hours are closed. */
  isComplete: boolean;
  /** The number of rows of the table that were read for the answer. */
  rowsRead: number;
};

/** Most rows of the table that one answer reads: about 100 MB, which take a few seconds. */
export const maxRows = 200_000;
/** Most hours that one answer reads from the ledger. While the meter runs, two hours are open, and those with a call that died. */
export const maxOpenHours = 48;
/** Hours that are read from the ledger in any case, because the index of callers may not show their calls yet. */
const unknownHours = 24;

/** A part of the range: the rollups of the hours from the first to the last, or the ledger of one open hour. */
type Segment = { first: string; last: string } | { open: string };

export class UsageReader {
  readonly #deps: UsageReaderDependencies;

  constructor(deps: UsageReaderDependencies) {
    this.#deps = deps;
  }

  /** @throws Refusal invalid_request if the range holds more rows than one answer reads */
  async read(question: UsageQuestion): Promise<UsageAnswer> {
    const { by, limit, callerId, after, withTotals } = question;
    const asOf = this.#deps.clock();
    const groups = new UsageGroups(by, after);
    const sum = withTotals ? new UsageGroups([]) : undefined;
    const isDone = () => sum === undefined && groups.isBeyond(limit);
    const creditOf = question.credits?.();
    const range = withinLife(question.range, asOf, sum ? undefined : groups.resumesAt);
    const fromLedger = by.some((grouping) => callGroupings.some((one) => one === grouping));
    const open = await this.#openHours(question.tenantId, range, asOf);
    const read = fromLedger ? hoursOf(range) : open.slice(-maxOpenHours);
    let left = maxRows;
    let isComplete = fromLedger || read.length === open.length;
    for (const segment of segmentsOf(range, read)) {
      for await (const page of this.#pages(question.tenantId, segment, creditOf)) {
        left -= page.length;
        for (const entry of page) {
          if (callerId !== undefined && entry.caller_id !== callerId) continue;
          groups.add(entry);
          sum?.add(entry);
        }
        if (left < 0 || isDone()) break;
      }
      if (isDone()) break;
      if (left >= 0) continue;
      // The whole range was too much to read; the page alone may need less.
      if (sum && (after || groups.isBeyond(limit))) return this.#withoutTotals(question);
      if (fromLedger || "first" in segment) throw tooMuch(fromLedger);
      isComplete = false;
      break;
    }
    const [first] = open;
    return {
      ...groups.page(limit),
      totals: sum && (sum.page(1).rows[0] ?? { ...nothingUsed, due: {} }),
      asOf,
      openSince: first === undefined ? undefined : startOfHour(first),
      isComplete,
      rowsRead: maxRows - left,
    };
  }

  async #withoutTotals(question: UsageQuestion): Promise<UsageAnswer> {
    const answer = await this.read({ ...question, withTotals: false });
    return { ...answer, rowsRead: answer.rowsRead + maxRows };
  }

  /**
   * The amount to be billed for calls in open hours of the range, at list price. The meter reports it later.
   * @param dueOf says of the rows, in their order, what is to be billed
   */
  async dueSoFar(
    tenantId: string,
    range: UsageRange,
    dueOf: (row: LedgerRow) => NanoUsd,
  ): Promise<{ cost: NanoUsd; isComplete: boolean }> {
    const now = this.#deps.clock();
    const open = await this.#openHours(tenantId, withinLife(range, now), now);
    const read = open.slice(-maxOpenHours);
    let [cost, left] = [0, maxRows];
    for (const hour of read) {
      for await (const page of this.#deps.ledger.hour(tenantId, hour)) {
        left -= page.length;
        if (left < 0) return { cost, isComplete: false };
        for (const row of page) cost += dueOf(row);
      }
    }
    return { cost, isComplete: read.length === open.length };
  }

  async *#pages(
    tenantId: string,
    segment: Segment,
    creditOf?: (row: LedgerRow) => NanoUsd,
  ): AsyncGenerator<UsageEntry[]> {
    if ("first" in segment) return yield* this.#deps.rollups.list(tenantId, segment.first, segment.last);
    for await (const page of this.#deps.ledger.hour(tenantId, segment.open)) {
      yield page.map((row) => entryOf(row, creditOf?.(row)));
    }
  }

  /** Read before the rollups, so an hour that is closed in between is read from the ledger, and only from there. */
  async #openHours(tenantId: string, range: UsageRange, now: number): Promise<string[]> {
    const hours: string[] = [];
    // Older hours have no ledger any more.
    const oldest = Math.max(range.from, now - retentionMs(ledgerRetention));
    if (oldest >= range.to) return [];
    for (let start = startOfMonth(monthOf(oldest)); start < range.to; start = nextMonth(start)) {
      const progress = await this.#deps.progress.of(tenantId, monthOf(start));
      const next = progress ? startOfHour(progress.next) : await this.#firstHour(tenantId, start, now);
      const rest = hoursOf({ from: Math.max(next, range.from), to: Math.min(nextMonth(start), range.to) });
      const waiting = (progress?.waiting ?? []).filter((hour) => isWithin(range, hour));
      hours.push(...waiting.toSorted(), ...rest);
    }
    return hours;
  }

  /** The first hour that may have a call in a month of which the meter has closed nothing, because the meter may be far behind. */
  async #firstHour(tenantId: string, monthStart: number, now: number): Promise<number> {
    const recent = Math.max(monthStart, startOfHour(hourOf(now)) - (unknownHours - 1) * hourMs);
    const since = await this.#deps.firstCalls.since(tenantId, monthOf(monthStart));
    return since === undefined ? recent : Math.min(recent, Math.max(monthStart, startOfHour(hourOf(since))));
  }
}

/** Cuts the range to the retention of rollups, to the present hour, and to what the previous page left. */
function withinLife({ from, to }: UsageRange, now: number, resumesAt = from): UsageRange {
  const soonest = startOfHour(hourOf(now)) + hourMs;
  return { from: Math.max(from, oldestRollup(now), resumesAt), to: Math.min(to, soonest) };
}

/** The parts of the range in the order of time. */
function segmentsOf({ from, to }: UsageRange, open: readonly string[]): Segment[] {
  const segments: Segment[] = [];
  let next = from;
  const closedUntil = (end: number) => {
    if (next < end) segments.push({ first: hourOf(next), last: hourOf(end - hourMs) });
  };
  for (const hour of open) {
    closedUntil(startOfHour(hour));
    segments.push({ open: hour });
    next = startOfHour(hour) + hourMs;
  }
  closedUntil(to);
  return segments;
}

function hoursOf({ from, to }: UsageRange): string[] {
  const count = Math.max(0, (to - from) / hourMs);
  return Array.from({ length: count }, (_, index) => hourOf(from + index * hourMs));
}

function isWithin({ from, to }: UsageRange, hour: string): boolean {
  return startOfHour(hour) >= from && startOfHour(hour) < to;
}

export function tooMuch(fromLedger: boolean): Refusal {
  const less = fromLedger ? "fewer hours" : "a shorter time";
  const message = `there is more usage in that time than one answer can read; ask for ${less}`;
  const fields = ["from", "to"].map((path) => ({ path, message }));
  return new Refusal("invalid_request", `from, to: ${message}`, { fields });
}
