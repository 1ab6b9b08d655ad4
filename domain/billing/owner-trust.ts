// An owner's trust by the provider's state: what became of the usage that the owner was billed for. It was paid, or people settled it without a
// payment, or it is still open; trust grows with the first.
import { type NanoUsd, nanoUsdPerUsd } from "../kernel/money.ts";
import { ceilingAt, hasPaidEnough, isEstablished, type Trust, type TrustTerms } from "../trust/trust.ts";
import type { Tenant } from "../workspace/tenant.ts";
import type { Customer } from "./customer.ts";
import { type Account, takesBack } from "./debt.ts";
import type { PaymentInvoice } from "./payment-provider.ts";

/** Amounts at list price, all from the provider's present state, so that a later refund, void or payment is right by the next reading. */
export type BilledUsage = {
  /**
   * No more than the usage on paid invoices, since tax is no usage; and no more than the money that arrived and stayed, at the provider or outside of
   * it: an invoice that a gift to the customer's balance pays brings none, and a refund or a dispute takes it back.
   */
  paid: NanoUsd;
  /** The usage of invoices that nobody has to pay any more, as far as no money paid it: void, credited, refunded, or paid by a gift. */
  settled: NanoUsd;
  /** The usage of invoices that are not paid yet, drafts too, and of disputed payments. */
  open: NanoUsd;
};

/** An owner's trust by one reading of the provider's state. */
export type OwnerTrust = Trust & {
  /** When the owner first had a payment method, in milliseconds. */
  methodSince: number | undefined;
  /** Ids of the workspaces that trust has moved to the next tier. */
  promoted: string[];
  /**
   * What the owner's callers have drawn so far, at list price, if that is to be counted from the invoices: workspaces that come back to the first tier
   * drew nothing meanwhile.
   */
  drawn: NanoUsd | undefined;
  /** Debts that were left under the owner's address or with one of the owner's cards: so much less is the trial. */
  owed: NanoUsd;
  /** Marks of the cards that the owner has had. */
  cards: string[];
};

/**
 * The owner's workspaces with the tier that trust gives them, and the trust that is noted with them.
 * @param living the owner's workspaces that are not deleted
 */
export function trusted(
  { terms, markup }: { terms: TrustTerms; markup: number },
  { customer, living, account, hasMethod, now, recognized: { owedCents, cards } }: Reading,
): { tenants: Tenant[]; trust: OwnerTrust } {
  const { paid, settled, open } = billedUsage(account, markup);
  const methodSince = customer.method_since ?? (hasMethod ? now : undefined);
  const ceiling = methodSince === undefined ? terms.firstWeek : ceilingAt(terms, methodSince, now);
  const before = customer.promoted ?? [];
  const tenants = living.map((one) => withTrust(one, terms, { trust: { paid, ceiling }, promoted: before }));
  const promoted = tenants
    .filter(
      ({ tenant_id, tier }, place) => tier === "pro" && (before.includes(tenant_id) || living[place]?.tier !== tier),
    )
    .map(({ tenant_id }) => tenant_id);
  const isBack = tenants.some(({ tier }, place) => tier === "starter" && living[place]?.tier !== tier);
  const drawn = isBack ? paid + settled + open : undefined;
  const owed = atListPrice(owedCents / 100, markup);
  return { tenants, trust: { paid, settled, ceiling, methodSince, promoted, drawn, owed, cards } };
}

type Reading = {
  customer: Pick<Customer, "method_since" | "promoted">;
  living: readonly Tenant[];
  account: Account;
  hasMethod: boolean;
  now: number;
  recognized: { owedCents: number; cards: string[] };
};

export function billedUsage({ invoices, charges, carriedCents = 0 }: Account, markup: number): BilledUsage {
  const paidInvoices = invoices.filter(({ status }) => status === "paid");
  const unpaidInvoices = invoices.filter(({ status }) => status !== "paid" && status !== "void");
  const disputed = sum(charges.map((one) => (one.dispute && takesBack(one.dispute) ? stayed(one) : 0)));
  const money = sum(charges.map(stayed)) - disputed + sum(invoices.map((one) => one.outsideCents / 100));
  const credited = sum(paidInvoices.map(creditedOf));
  const paid = Math.max(0, Math.min(sum(paidInvoices.map(usageOf)) - credited, money));
  const over =
    sum(invoices.filter(({ status }) => status === "paid" || status === "void").map(usageOf)) +
    sum(unpaidInvoices.map((one) => Math.min(usageOf(one), creditedOf(one))));
  const carried = carriedCents / 100;
  const settled = Math.max(0, over - paid - disputed - carried);
  const open = sum(unpaidInvoices.map((one) => Math.max(0, usageOf(one) - creditedOf(one)))) + disputed + carried;
  const [listPaid = 0, listSettled = 0, listOpen = 0] = [paid, settled, open].map((usd) => atListPrice(usd, markup));
  return { paid: listPaid, settled: listSettled, open: listOpen };
}

function atListPrice(usd: number, markup: number): NanoUsd {
  return Math.floor((usd * nanoUsdPerUsd) / markup);
}

/** USD. */
function usageOf({ quantity }: PaymentInvoice): number {
  return Math.max(0, quantity) / 1e6;
}

function creditedOf({ creditedCents }: PaymentInvoice): number {
  return creditedCents / 100;
}

function stayed({ paidCents, refundedCents }: Account["charges"][number]): number {
  return (paidCents - refundedCents) / 100;
}

/**
 * Moves a workspace of the first tier to the next one once its owner has paid enough and is old enough, and back once a refund or a dispute has taken
 * that back. A tier that people chose stays.
 * @param promoted ids of the workspaces that trust has moved
 */
export function withTrust(
  tenant: Tenant,
  terms: Pick<TrustTerms, "trialCap">,
  { trust, promoted }: { trust: Pick<Trust, "paid" | "ceiling">; promoted: readonly string[] },
): Tenant {
  if (tenant.tier === "starter" && isEstablished(terms, trust)) return { ...tenant, tier: "pro" };
  const isOurs = tenant.tier === "pro" && promoted.includes(tenant.tenant_id);
  return isOurs && !hasPaidEnough(terms, trust) ? { ...tenant, tier: "starter" } : tenant;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, one) => all + one, 0);
}
