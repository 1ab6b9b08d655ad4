// The settlement of a workspace whose billing has ended. A correction that comes after its last invoice is on no later one: what is too
// little is charged, and what is too much is given back, once a person confirms it (docs/decisions/0062-settling-after-the-end.md).
import type { MicroUsd, PaymentInvoice } from "../billing/payment-provider.ts";
import { used } from "../reporting/billing-total.ts";
import { type AuditTrail, auditEntry, platformTrail } from "../workspace/audit.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import { type BillingEndDependencies, billTheRest, leastCharge } from "./billing-end.ts";

/** An amount that is taken off an invoice. */
export type GivenBack = {
  invoice: Pick<PaymentInvoice, "id" | "number">;
  creditedBefore: MicroUsd;
  quantity: MicroUsd;
  /** The amount with its tax. Of a paid invoice it is refunded as far as money was paid; the rest is a credit of the owner. */
  cents: number;
  refundedCents: number;
};

export type Settlement = {
  used: MicroUsd;
  /** The amount that final invoices billed, less what earlier settlements gave back. */
  billed: MicroUsd;
  /** The amount to be charged, if it is at least the smallest that anybody is charged. */
  charge: MicroUsd;
  givesBack: GivenBack[];
};

export type BillingSettlementDependencies = BillingEndDependencies & {
  tenants: Pick<TenantStore, "get">;
  audit: Pick<AuditTrail, "note">;
};

/** Thrown if a workspace cannot be settled. The message is for people. */
class SettlementRefused extends Error {}

/** Computes what is to be settled with a workspace's owner, and changes nothing. @throws SettlementRefused */
export async function settlementOf(deps: BillingSettlementDependencies, tenantId: string): Promise<Settlement> {
  const { customerId } = await endedTenant(deps, tenantId);
  const provider = await deps.payments();
  const [all, credits] = [await provider.invoices(customerId), await provider.usageCredits(customerId)];
  const invoices = all.filter((one) => one.tenantId === tenantId);
  const credited = (id: string) => sum(credits.filter(({ invoiceId }) => invoiceId === id).map((one) => one.quantity));
  const total = await deps.totals.get(tenantId);
  const ofLedger = total ? used(total, deps.markup) : 0;
  const billed = sum(invoices.map(({ id, quantity }) => quantity - credited(id)));
  const charge = ofLedger - billed >= leastCharge ? ofLedger - billed : 0;
  return { used: ofLedger, billed, charge, givesBack: givenBack(invoices, billed - ofLedger, credited) };
}

/** Charges or gives back what `settlementOf` says. May be repeated. @throws SettlementRefused */
export async function settle(deps: BillingSettlementDependencies, tenantId: string): Promise<Settlement> {
  const { tenant, customerId } = await endedTenant(deps, tenantId);
  const settlement = await settlementOf(deps, tenantId);
  const { charge, givesBack } = settlement;
  if (charge === 0 && givesBack.length === 0) return settlement;
  const provider = await deps.payments();
  if (charge > 0) await billTheRest(deps, tenant, customerId);
  for (const { invoice, ...amount } of givesBack) await provider.creditUsage({ invoiceId: invoice.id, ...amount });
  const after = { customer_id: customerId, charged: charge, given_back: sum(givesBack.map((one) => one.quantity)) };
  const change = { tenant_id: platformTrail, actor: "operator", action: "billing.settle", target: tenantId } as const;
  await deps.audit.note(auditEntry({ ...change, after }, { id: deps.newId(), now: deps.clock() }));
  return settlement;
}

async function endedTenant({ tenants, ends }: BillingSettlementDependencies, tenantId: string) {
  const tenant: Tenant | undefined = await tenants.get(tenantId);
  if (!tenant) throw new SettlementRefused("There is no such workspace, or it is purged.");
  const { stripe_customer_id: customerId } = tenant;
  if (customerId === undefined) throw new SettlementRefused("The workspace's owner was never a customer.");
  if ((await ends.of(tenantId)).endedAt === undefined) {
    throw new SettlementRefused("The workspace's billing has not ended: the next invoice settles it.");
  }
  return { tenant, customerId };
}

/** Splits an amount over the invoices, newest first, and no more of each than it has left. */
function givenBack(
  invoices: readonly PaymentInvoice[],
  tooMuch: MicroUsd,
  credited: (invoiceId: string) => MicroUsd,
): GivenBack[] {
  const all: GivenBack[] = [];
  let rest = tooMuch;
  for (const invoice of invoices) {
    if (invoice.status !== "open" && invoice.status !== "paid") continue;
    const creditedBefore = credited(invoice.id);
    const quantity = Math.min(rest, invoice.quantity - creditedBefore);
    if (quantity < leastCharge) continue;
    const { id, number, subtotalCents, totalCents, creditedCents, paidCents, status } = invoice;
    const withTax = Math.round((quantity / 10_000) * (subtotalCents > 0 ? totalCents / subtotalCents : 1));
    const cents = Math.min(withTax, totalCents - creditedCents);
    if (cents < 1) continue;
    const refundedCents = status === "paid" ? Math.min(cents, Math.max(0, paidCents - creditedCents)) : 0;
    all.push({ invoice: { id, number }, creditedBefore, quantity, cents, refundedCents });
    rest -= quantity;
  }
  return all;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, one) => all + one, 0);
}
