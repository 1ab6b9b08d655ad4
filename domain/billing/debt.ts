// Debt: what an owner owes and nobody collects any more, read from the provider's invoices and charges. While there is any, all of the
// owner's workspaces are suspended (docs/decisions/0041-debt-and-trust.md).
import type { Tenant } from "../workspace/tenant.ts";
import { resumed, suspended } from "../workspace/tenant-change.ts";
import type { PaymentCharge, PaymentInvoice } from "./payment-provider.ts";

/** The reasons of a suspension that payment ends; any other reason is an administrator's. */
export const unpaidReason = "An invoice is unpaid";
export const disputedReason = "A payment is disputed";

/** Whether the invoice is unpaid and the provider does not try to collect it any more. A bank debit that is on its way is such an attempt. */
export function isGivenUp({ status, dueCents, nextAttemptAt, isProcessing }: PaymentInvoice): boolean {
  return (
    status === "uncollectible" || (status === "open" && dueCents > 0 && nextAttemptAt === undefined && !isProcessing)
  );
}

export function isOwed({ status, dueCents }: PaymentInvoice): boolean {
  return status === "uncollectible" || (status === "open" && dueCents > 0);
}

/** Whether the bank has taken the payment back, or may have: an inquiry (`warning_...`) takes nothing, and what is won comes back. */
export function takesBack({ status }: NonNullable<PaymentCharge["dispute"]>): boolean {
  return ["needs_response", "under_review", "lost"].includes(status);
}

/** Cents that the owner owes at this time: open and written-off invoices, disputed payments, and what was too small to be charged. */
export function owedCents({ invoices, charges, carriedCents = 0 }: Account): number {
  const unpaid = invoices.filter(isOwed).map(({ dueCents }) => dueCents);
  const disputed = charges.filter(({ dispute }) => dispute && takesBack(dispute));
  const taken = disputed.map(({ paidCents, refundedCents }) => paidCents - refundedCents);
  return [...unpaid, ...taken].reduce((sum, cents) => sum + cents, carriedCents);
}

export type Account = {
  invoices: readonly PaymentInvoice[];
  charges: readonly PaymentCharge[];
  /** Cents of paid invoices that were too small to be charged; the next one has them. */
  carriedCents?: number | undefined;
};

/**
 * Ids of the invoices that were given up and are not paid yet, and of the disputes.
 * @param known those of before: a debt ends by payment, and not by another attempt to collect it
 */
export function debtsOf({ invoices, charges }: Account, known: readonly string[] = []): string[] {
  const unpaid = invoices.filter((one) => isGivenUp(one) || (isOwed(one) && known.includes(one.id)));
  return [...unpaid.map(({ id }) => id), ...disputesOf(charges).map(({ id }) => id)].sort();
}

function disputesOf(charges: readonly PaymentCharge[]): NonNullable<PaymentCharge["dispute"]>[] {
  return charges.flatMap(({ dispute }) => (dispute && takesBack(dispute) ? [dispute] : []));
}

/** Suspends or resumes a workspace by its owner's debts. @param reason of a debt that was not known before */
export function withDebts(tenant: Tenant, debts: { owes: boolean; reason: string | undefined; now: number }): Tenant {
  const { owes, reason, now } = debts;
  // Only a new debt suspends, so that an administrator who resumes a workspace is not overruled.
  if (tenant.status === "active" && reason !== undefined) return suspended(tenant, reason, now);
  const { status, suspended_reason } = tenant;
  const isOurs = status === "suspended" && (suspended_reason === unpaidReason || suspended_reason === disputedReason);
  return isOurs && !owes ? resumed(tenant) : tenant;
}

/** Why a debt that was not known before suspends; undefined if there is none. */
export function newReason(
  owes: readonly string[],
  known: readonly string[],
  charges: readonly PaymentCharge[],
): string | undefined {
  const added = owes.filter((id) => !known.includes(id));
  if (added.length === 0) return undefined;
  return disputesOf(charges).some(({ id }) => added.includes(id)) ? disputedReason : unpaidReason;
}
