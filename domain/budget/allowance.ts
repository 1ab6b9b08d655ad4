// The allowance of an owner who has no full trust yet: what all callers of all the owner's workspaces may use and not have paid. Each
// caller draws slices of it into the own spending item, so that a call is admitted by one write of that item, and however many callers
// call however fast, no more is reserved than was drawn (docs/decisions/0041-debt-and-trust.md has the proof).
import type { NanoUsd } from "../kernel/money.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Trust } from "../trust/trust.ts";
import type { Guard } from "./guard.ts";
import type { AdmissionRequest } from "./plan.ts";
import type { Spending, SpendingKey } from "./spending.ts";
import type { Unexplained } from "./unexplained.ts";

/** An owner's row. Amounts are at list price. */
export type OwnerAllowance = Trust & {
  /** The sum of the slices that callers have drawn, less what they gave back. */
  drawn: NanoUsd;
  /** Missing where nothing was ever booked at bounds. */
  unexplained?: Unexplained | undefined;
};

export interface AllowanceStore {
  read(ownerSub: string): Promise<OwnerAllowance>;
  /** Takes back what a caller has drawn and does not hold. Nothing happens if the caller has called meanwhile. */
  takeBack(key: SpendingKey, spending: Spending): Promise<void>;
  /** The owner whose allowance the tenant's callers draw on; undefined if they draw on none. */
  ownerOf(tenantId: string): Promise<string | undefined>;
}

/** A caller draws this part of the trial's cap beyond its need, so that few calls have to draw. */
const slices = 200;

/** Returns the sizes of a slice to try, the largest first. */
export function slicesFor(need: NanoUsd, trialCap: NanoUsd): NanoUsd[] {
  return [need + Math.floor(trialCap / slices), need];
}

/** The part of its slices that a caller has used or reserved. The overdraft, which no budget counts while it lasts, counts here. */
export function heldOf({ committed, overdraft, reservations }: Spending): NanoUsd {
  if (overdraft === undefined) return committed;
  const beyond = reservations.find(({ requestId }) => requestId === overdraft);
  // A guessed state has no reservations: the state is read first.
  return beyond ? committed + beyond.amount : Number.POSITIVE_INFINITY;
}

/**
 * The free part of the caller's slices. A caller's first slice counts from what was spent before it, which nobody owes: free credit paid that, or the
 * platform billed nobody then.
 */
export function roomOf(spending: Spending): NanoUsd {
  return (spending.allowance ?? spending.spent) - heldOf(spending);
}

/**
 * Returns the guards of a caller's slices, so that a reservation of this amount fits into them. The state was read before: slices only
 * ever grow, so that the read number is a lower bound; what others commit meanwhile, and another overdraft, make the write fail; the same overdraft
 * can only have become smaller. A ticket reserves nothing and needs no guard.
 */
export function sliceGuards(known: Spending, amount: NanoUsd): Guard[] {
  if (amount === 0) return [];
  const { allowance = 1, committed, overdraft } = known;
  return [
    { rule: "slices", figure: "allowance", is: ">=", bound: allowance },
    { rule: "within", figure: "committed", is: "<=", bound: committed + roomOf(known) - amount },
    overdraft === undefined
      ? { rule: "beyond", label: "overdraft", is: "none" }
      : { rule: "beyond", label: "overdraft", is: "same", as: overdraft },
  ];
}

/** Values of `max_tokens` to which a call is lowered if the rest of the allowance does not pay it in full. */
const steps = [64_000, 32_000, 16_384, 8_192, 4_096, 1_024];
/** The output tokens that an answer needs beside its thinking. */
const answerTokens = 1_024;

/**
 * Returns the highest `max_tokens` that an amount pays for; undefined if it pays for no answer.
 * @param least no lower step counts, but for a call that itself asks for less
 */
export function affordable(request: AdmissionRequest, spendable: NanoUsd, least = 0): number | undefined {
  const { maxTokens, thinkingTokens, costAt } = request;
  const lowest = Math.max(least, thinkingTokens + answerTokens);
  // A step above the caller's own `max_tokens` costs no less than that.
  return [maxTokens, ...steps.filter((step) => step >= lowest)].find((step) => costAt(step) <= spendable);
}

/** The refusal of a call that the allowance does not pay, whatever comes back of calls in flight. */
export function allowanceUsedUp(): Refusal {
  return new Refusal(
    "cap_reached",
    "What the workspace's owner may leave unpaid is used up, or too little of it is left for this request. The limit grows with each invoice that is paid; in an owner's first month it has an upper end, which the platform's administrators may lift. The owner sees in the console under billing what was used, what is billed, and what failed of it.",
  );
}
