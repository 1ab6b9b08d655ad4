// The unexplained part of what budgets paid: bounds of calls whose end nobody heard, less what is known and billed of them. The model host may
// have billed all of it, so that an owner gets a share of it back and no more (docs/decisions/0092-whole-answers.md).
import type { NanoUsd } from "../kernel/money.ts";
import { monthOf, nextMonth, startOfMonth } from "../kernel/period.ts";
import type { LedgerRow } from "../ledger/ledger.ts";
import type { Tenant } from "../workspace/tenant.ts";

/** The message of the log line on which an alarm rings. */
export const unexplainedMessage = "More was booked at bounds than an owner gets back";

/** One part in so many of the trial's cap, or of what an owner paid, comes back in a month. */
const parts = 5;

/** What the accounting of an owner has of it. Amounts are in nano-USD at list price, by month (`2026-11`). */
export type Unexplained = {
  /** By the month of the calls' admission. */
  byMonth: ReadonlyMap<string, NanoUsd>;
  /** All that was paid until then, as it was read last in that month. */
  paidBy: ReadonlyMap<string, NanoUsd>;
};

/** What an owner has paid in all, and what is unexplained; undefined where nothing ever was. */
type Account = { paid: NanoUsd; unexplained?: Unexplained | undefined };

/** A workspace's owner, and the month in which its whole answers are kept short. */
export type ExplainedOwner = Pick<Tenant, "owner_sub" | "tier" | "unexplained_month"> & { allowance: Account };

/** The unexplained part of an hour before it is counted, and after it. */
export type UnexplainedChange = { from: NanoUsd; to: NanoUsd };

export interface UnexplainedStore {
  /** Undefined for a workspace that is purged. */
  ownerOf(tenantId: string): Promise<ExplainedOwner | undefined>;
  /** The part of the hour that is counted so far. */
  counted(tenantId: string, hour: string): Promise<NanoUsd>;
  /**
   * Counts the hour's part for its owner, in place of what was counted before.
   * @returns false if somebody else counts the hour, or the workspace was purged meanwhile
   */
  count(tenantId: string, hour: string, change: UnexplainedChange & { ownerSub: string }): Promise<boolean>;
  /** Marks the workspace, or removes its mark. */
  mark(tenantId: string, month: string | undefined): Promise<void>;
}

/** The unexplained part of a row. Nobody owes anything for a row that free credit or the platform paid. */
export function unexplainedOf({ cost, known, on_credit, on_platform }: LedgerRow): NanoUsd {
  return known === undefined || on_credit || on_platform ? 0 : Math.max(0, cost - known.cost);
}

/**
 * The amount that an owner in the first tier does not get back yet. A share comes back in each month, also of what is left of earlier ones.
 * @param month the present one
 */
export function keptBack({ unexplained }: Account, month: string, trialCap: NanoUsd): NanoUsd {
  if (!unexplained) return 0;
  const share = Math.floor(trialCap / parts);
  const [first = month] = [...unexplained.byMonth.keys()].sort();
  let left = 0;
  for (let each = first; each <= month; each = monthOf(nextMonth(startOfMonth(each)))) {
    left = Math.max(0, left - share) + (unexplained.byMonth.get(each) ?? 0);
  }
  return Math.max(0, left - share);
}

/**
 * The amount beyond the share of an owner whose tier has no cap: a fifth of what was paid since the beginning of the last month, and at least
 * the share of the first tier.
 */
export function beyondShare({ paid, unexplained }: Account, month: string, trialCap: NanoUsd): NanoUsd {
  if (!unexplained) return 0;
  const last = monthOf(startOfMonth(month) - 1);
  const before = [...unexplained.paidBy]
    .filter(([each]) => each < last)
    .toSorted()
    .at(-1);
  const share = Math.floor(Math.max(trialCap, paid - (before?.[1] ?? 0)) / parts);
  return Math.max(0, (unexplained.byMonth.get(month) ?? 0) - share);
}

/** The amount for which the alarm rings. */
export function amountBeyond({ tier, allowance }: ExplainedOwner, month: string, trialCap: NanoUsd): NanoUsd {
  return tier === "starter" ? keptBack(allowance, month, trialCap) : beyondShare(allowance, month, trialCap);
}

/** The mark that a workspace should have: its allowance limits an owner of the first tier, so that no workspace of theirs needs one. */
export function markOf(owner: ExplainedOwner, month: string, trialCap: NanoUsd): string | undefined {
  return owner.tier !== "starter" && beyondShare(owner.allowance, month, trialCap) > 0 ? month : undefined;
}

/** Whether whole answers of the workspace are kept short. A stack whose model host logs its invocations explains them instead. */
export function isKeptShort({ unexplained_month }: Pick<Tenant, "unexplained_month">, month: string): boolean {
  return unexplained_month === month;
}
