// Usage summed by the groups that a reader asks for, out of rollups and, in hours that have none yet, rows of the ledger. Memory holds
// the sums only.
import { hourOf } from "../kernel/period.ts";
import type { LedgerRow } from "./ledger.ts";
import { added, nothingUsed, type Rollup, type Totals, totalsOf } from "./rollup.ts";

/** The groupings that rollups know. Rows of an answer are sorted in this order, times first. */
export const groupings = ["month", "day", "caller", "model"] as const;
/** The groupings that only the ledger knows. */
export const callGroupings = ["agent", "session"] as const;

export const everyGrouping = [...groupings, ...callGroupings] as const;
export type Grouping = (typeof everyGrouping)[number];

/** One row of an answer. Its agent or session is null if the caller's tool names none. */
export type UsageRow = Totals & {
  month?: string;
  day?: string;
  caller_id?: string;
  model?: string;
  agent_id?: string | null;
  session_id?: string | null;
};

/** What is summed: a rollup, or a row of the ledger in the form of one. */
export type UsageEntry = Rollup & { agent_id?: string | undefined; session_id?: string | undefined };

export function entryOf(row: LedgerRow): UsageEntry {
  const { tenant_id, caller_id, model, agent_id, session_id, admitted_at } = row;
  return {
    ...{ tenant_id, caller_id, model, agent_id, session_id },
    hour: hourOf(Date.parse(admitted_at)),
    ...totalsOf(row),
  };
}

/** A row's place in the answer: the values of its groups, in the order of `everyGrouping`. */
export type Place = string[];

const labelOf: Record<Grouping, (entry: UsageEntry) => string> = {
  month: ({ hour }) => hour.slice(0, 7),
  day: ({ hour }) => hour.slice(0, 10),
  caller: ({ caller_id }) => caller_id,
  model: ({ model }) => model,
  agent: ({ agent_id = "" }) => agent_id,
  session: ({ session_id = "" }) => session_id,
};

const fieldOf: Record<Grouping, (value: string) => Partial<UsageRow>> = {
  month: (month) => ({ month }),
  day: (day) => ({ day }),
  caller: (caller_id) => ({ caller_id }),
  model: (model) => ({ model }),
  agent: (agent) => ({ agent_id: agent || null }),
  session: (session) => ({ session_id: session || null }),
};

type UsageGroup = { place: Place; totals: Totals };

export class UsageGroups {
  readonly by: readonly Grouping[];
  readonly #after: Place | undefined;
  readonly #groups = new Map<string, UsageGroup>();
  #period = "";
  #complete = 0;

  /** @param after the place of the last row of the page before. Entries up to it are skipped */
  constructor(asked: readonly Grouping[], after?: Place | undefined) {
    this.by = everyGrouping.filter((grouping) => asked.includes(grouping));
    this.#after = after;
  }

  /** The start of the first day or month that a row after `after` can have, in milliseconds. */
  get resumesAt(): number | undefined {
    const [first] = this.#after ?? [];
    const start = first !== undefined && this.#isByPeriod ? Date.parse(first) : Number.NaN;
    return Number.isNaN(start) ? undefined : start;
  }

  get #isByPeriod(): boolean {
    return this.by[0] === "month" || this.by[0] === "day";
  }

  /** Adds an entry. Entries must come in the order of their hours. */
  add(entry: UsageEntry): void {
    // A row without cost and tokens stands for no request (`totalsOf`).
    if (entry.requests === 0) return;
    const place = this.by.map((grouping) => labelOf[grouping](entry));
    if (this.#after && compare(place, this.#after) <= 0) return;
    this.#notePeriod(place);
    const key = JSON.stringify(place);
    const totals = added(this.#groups.get(key)?.totals ?? nothingUsed, entry);
    this.#groups.set(key, { place, totals });
  }

  /** Whether the page is full and no later entry can change its rows. */
  isBeyond(rows: number): boolean {
    return this.#complete > rows;
  }

  /** The first rows, and the place of the last one if there are more. */
  page(limit: number): { rows: UsageRow[]; next: Place | undefined } {
    const sorted = [...this.#groups.values()].toSorted((one, other) => compare(one.place, other.place));
    const shown = sorted.slice(0, limit);
    return {
      rows: shown.map((group) => this.#rowOf(group)),
      next: sorted.length > limit ? shown.at(-1)?.place : undefined,
    };
  }

  /** Notes that groups of earlier days or months are complete once a later one begins. */
  #notePeriod([first = ""]: Place): void {
    if (!this.#isByPeriod || first === this.#period) return;
    this.#period = first;
    this.#complete = this.#groups.size;
  }

  #rowOf({ place, totals }: UsageGroup): UsageRow {
    return Object.assign({}, ...this.by.map((grouping, at) => fieldOf[grouping](place[at] ?? "")), totals);
  }
}

function compare(one: Place, other: Place): number {
  for (const [at, value] of one.entries()) {
    const against = other[at] ?? "";
    if (value !== against) return value < against ? -1 : 1;
  }
  return 0;
}
