// Sums usage by the groups that a reader asks for, from rollups and, for hours without rollups, from rows of the ledger. Only the sums
// are kept in memory.
import { hourOf, startOfHour } from "../kernel/period.ts";
import type { CallOrigin, LedgerRow } from "./ledger.ts";
import { added, nothingUsed, type Rollup, type Totals, totalsOf } from "./rollup.ts";

/** The groupings of rollups. Rows are sorted in this order, times first. */
export const groupings = ["month", "day", "hour", "caller", "model"] as const;
/** Groupings that need the ledger, because rollups do not hold them. */
export const callGroupings = ["key", "agent", "session"] as const;

/** Groupings of time, of which an earlier one is complete when a later one begins. */
const periods = ["month", "day", "hour"] as const;

export const everyGrouping = [...groupings, ...callGroupings] as const;
export type Grouping = (typeof everyGrouping)[number];

/** One group's usage. `key_id` is null for calls with a token; `agent_id` and `session_id` are null where the caller's tool names none. */
export type UsageRow = Totals & {
  /** The amount of the group that is to be billed, by month, in nano-USD at list price. */
  due: Record<string, number>;
  month?: string;
  day?: string;
  hour?: string;
  caller_id?: string;
  model?: string;
  key_id?: string | null;
  agent_id?: string | null;
  session_id?: string | null;
};

/** A summand: a rollup, or a row of the ledger in the form of a rollup. */
export type UsageEntry = Rollup & CallOrigin;

/** @param credit what free credit pays of the row, in nano-USD; by default what it paid at the row's admission */
export function entryOf(row: LedgerRow, credit?: number): UsageEntry {
  const { tenant_id, caller_id, model, key_id, agent_id, session_id, admitted_at } = row;
  return {
    ...{ tenant_id, caller_id, model, key_id, agent_id, session_id },
    hour: hourOf(Date.parse(admitted_at)),
    ...totalsOf(row, credit),
  };
}

/** The position of a row in the order of all rows: the values of its groups, in the order of `everyGrouping`. */
export type Place = string[];

const labelOf: Record<Grouping, (entry: UsageEntry) => string> = {
  month: ({ hour }) => hour.slice(0, 7),
  day: ({ hour }) => hour.slice(0, 10),
  hour: ({ hour }) => hour,
  caller: ({ caller_id }) => caller_id,
  model: ({ model }) => model,
  key: ({ key_id = "" }) => key_id,
  agent: ({ agent_id = "" }) => agent_id,
  session: ({ session_id = "" }) => session_id,
};

const fieldOf: Record<Grouping, (value: string) => Partial<UsageRow>> = {
  month: (month) => ({ month }),
  day: (day) => ({ day }),
  hour: (hour) => ({ hour }),
  caller: (callerId) => ({ caller_id: callerId }),
  model: (model) => ({ model }),
  key: (key) => ({ key_id: key || null }),
  agent: (agent) => ({ agent_id: agent || null }),
  session: (session) => ({ session_id: session || null }),
};

type UsageGroup = { place: Place; totals: Totals; due: Record<string, number> };

export class UsageGroups {
  readonly by: readonly Grouping[];
  readonly #after: Place | undefined;
  readonly #groups = new Map<string, UsageGroup>();
  #period = "";
  #complete = 0;

  /** @param after the place of the last row of the previous page. Entries up to it are skipped. */
  constructor(asked: readonly Grouping[], after?: Place | undefined) {
    this.by = everyGrouping.filter((grouping) => asked.includes(grouping));
    this.#after = after;
  }

  /** The first period that a row beyond `after` can have, in milliseconds. */
  get resumesAt(): number | undefined {
    const [first] = this.#after ?? [];
    const start = first !== undefined && this.#isByPeriod ? startOf(first) : Number.NaN;
    return Number.isNaN(start) ? undefined : start;
  }

  get #isByPeriod(): boolean {
    return periods.some((period) => period === this.by[0]);
  }

  /** Adds an entry. Entries must be added in the order of their hours. */
  add(entry: UsageEntry): void {
    // An entry without a request adds no row.
    if (entry.requests === 0) return;
    const place = this.by.map((grouping) => labelOf[grouping](entry));
    if (this.#after && compare(place, this.#after) <= 0) return;
    this.#notePeriod(place);
    const key = JSON.stringify(place);
    const group = this.#groups.get(key) ?? { place, totals: nothingUsed, due: {} };
    const month = entry.hour.slice(0, 7);
    group.due[month] = (group.due[month] ?? 0) + entry.billable_cost - entry.credit;
    this.#groups.set(key, { ...group, totals: added(group.totals, entry) });
  }

  /** Whether there are more than this number of rows, and no later entry can change the first of them. The page is complete then. */
  isBeyond(rows: number): boolean {
    return this.#complete > rows;
  }

  /** The first rows up to the limit, and the place at which the next page begins if there are more. */
  page(limit: number): { rows: UsageRow[]; next: Place | undefined } {
    const sorted = [...this.#groups.values()].toSorted((one, other) => compare(one.place, other.place));
    const shown = sorted.slice(0, limit);
    return {
      rows: shown.map((group) => this.#rowOf(group)),
      next: sorted.length > limit ? shown.at(-1)?.place : undefined,
    };
  }

  /** When a new day or month begins, the groups of the earlier ones are complete. */
  #notePeriod([first = ""]: Place): void {
    if (!this.#isByPeriod || first === this.#period) return;
    this.#period = first;
    this.#complete = this.#groups.size;
  }

  #rowOf({ place, totals, due }: UsageGroup): UsageRow {
    const fields = this.by.map((grouping, at) => fieldOf[grouping](place[at] ?? ""));
    return Object.assign({}, ...fields, totals, { due });
  }
}

/** In milliseconds; not a number for what is no month, day or hour. */
function startOf(period: string): number {
  return period.includes("T") ? startOfHour(period) : Date.parse(period);
}

function compare(one: Place, other: Place): number {
  for (const [at, value] of one.entries()) {
    const against = other[at] ?? "";
    if (value !== against) return value < against ? -1 : 1;
  }
  return 0;
}
