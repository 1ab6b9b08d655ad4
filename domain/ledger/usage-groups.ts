// Usage summed by what a reader asks for, out of rollups and, where there are none yet, rows of the ledger. The sums are kept and
// the rows are not.
import { hourOf } from "../kernel/period.ts";
import type { LedgerRow } from "./ledger.ts";
import { added, nothingUsed, type Rollup, type Totals, totalsOf } from "./rollup.ts";

/** By what usage can be grouped. Rows are sorted in this order, times first. */
export const groupings = ["month", "day", "caller", "model"] as const;
/** What only the ledger knows. */
export const callGroupings = ["agent", "session"] as const;

export const everyGrouping = [...groupings, ...callGroupings] as const;
export type Grouping = (typeof everyGrouping)[number];

/** A caller's tool may say neither session nor agent: null. */
export type UsageRow = Totals & {
  month?: string;
  day?: string;
  caller_id?: string;
  model?: string;
  agent_id?: string | null;
  session_id?: string | null;
};

/** What is summed: a rollup, or a row of the ledger as one. */
export type UsageEntry = Rollup & { agent_id?: string | undefined; session_id?: string | undefined };

export function entryOf(row: LedgerRow): UsageEntry {
  const { tenant_id, caller_id, model, agent_id, session_id, admitted_at } = row;
  return {
    ...{ tenant_id, caller_id, model, agent_id, session_id },
    hour: hourOf(Date.parse(admitted_at)),
    ...totalsOf(row),
  };
}

/** A row's place among all: the values of its groups, in the order of `everyGrouping`. */
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

  /** @param after the place of the last row of the page before: what is not beyond it is passed over */
  constructor(asked: readonly Grouping[], after?: Place | undefined) {
    this.by = everyGrouping.filter((grouping) => asked.includes(grouping));
    this.#after = after;
  }

  /** The first period that a row beyond `after` can have, in milliseconds. */
  get resumesAt(): number | undefined {
    const [first] = this.#after ?? [];
    const start = first !== undefined && this.#isByPeriod ? Date.parse(first) : Number.NaN;
    return Number.isNaN(start) ? undefined : start;
  }

  get #isByPeriod(): boolean {
    return this.by[0] === "month" || this.by[0] === "day";
  }

  /** Entries come in the order of their hours. */
  add(entry: UsageEntry): void {
    // A row of nothing stands for no request.
    if (entry.requests === 0) return;
    const place = this.by.map((grouping) => labelOf[grouping](entry));
    if (this.#after && compare(place, this.#after) <= 0) return;
    this.#notePeriod(place);
    const key = JSON.stringify(place);
    const totals = added(this.#groups.get(key)?.totals ?? nothingUsed, entry);
    this.#groups.set(key, { place, totals });
  }

  /** Whether no later entry can change the first so many rows, and there are more: the rest is for the next page. */
  isBeyond(rows: number): boolean {
    return this.#complete > rows;
  }

  /** The first so many rows, and the place from which to go on if there are more. */
  page(limit: number): { rows: UsageRow[]; next: Place | undefined } {
    const sorted = [...this.#groups.values()].toSorted((one, other) => compare(one.place, other.place));
    const shown = sorted.slice(0, limit);
    return {
      rows: shown.map((group) => this.#rowOf(group)),
      next: sorted.length > limit ? shown.at(-1)?.place : undefined,
    };
  }

  /** Groups of earlier days or months get nothing more. */
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
