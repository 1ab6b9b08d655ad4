// What an owner has paid of usage, which is what trust grows with.
import { type NanoUsd, nanoUsdPerUsd } from "../kernel/money.ts";
import type { Tenant } from "../workspace/tenant.ts";
import { isEstablished } from "../workspace/trust.ts";
import { type Account, takesBack } from "./debt.ts";

/**
 * The usage that an owner has paid, at list price. It is no more than the usage on paid invoices, since tax is no usage; and no more than
 * the money that arrived and stayed, since an invoice of cents is paid without any, and a refund or a dispute takes it back.
 */
export function paidUsage({ invoices, charges }: Account, markup: number): NanoUsd {
  const usage = sum(invoices.map(({ status, quantity }) => (status === "paid" ? Math.max(0, quantity) / 1e6 : 0)));
  const credited = sum(invoices.map(({ status, creditedCents }) => (status === "paid" ? creditedCents / 100 : 0)));
  const money = sum(
    charges.map(({ paidCents, refundedCents, dispute }) =>
      dispute && takesBack(dispute) ? 0 : (paidCents - refundedCents) / 100,
    ),
  );
  const usd = Math.max(0, Math.min(usage - credited, money));
  return Math.floor((usd * nanoUsdPerUsd) / markup);
}

/**
 * Moves a workspace of the first tier to the next one once its owner has paid enough. A tier that people chose stays, and no workspace goes
 * back to the first one.
 */
export function withTrust(tenant: Tenant, trialCap: NanoUsd, paid: NanoUsd): Tenant {
  return tenant.tier === "starter" && isEstablished(trialCap, paid) ? { ...tenant, tier: "pro" } : tenant;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, one) => all + one, 0);
}
