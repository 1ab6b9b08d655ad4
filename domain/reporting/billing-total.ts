// A workspace's total: what it has used since its creation, and what final invoices have billed of it. What is still to be billed is
// always the difference of both, so that nothing that was lost, late or wrong on the way needs an account of its own.
import type { MicroUsd, PaymentInvoice } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { AuditEntry } from "../workspace/audit.ts";
import { billed, type Priced } from "./quantity.ts";

export type BillingTotal = {
  tenantId: string;
  /** The cost of the closed hours after free credit, by month, at list price. */
  costs: Readonly<Record<string, NanoUsd>>;
  /** The markup of each month. It stays as it was at the month's first report. */
  markups: Readonly<Record<string, number>>;
  /** What the provider's meter was last told of each month whose invoice is not final yet. */
  sent: Readonly<Record<string, MicroUsd>>;
  /** The time of each month's latest event, in milliseconds. A later event has a later time, whatever the clock says. */
  sentAt: Readonly<Record<string, number>>;
  /** A month for which it is unknown whether the provider took the last event. */
  unsure: string | undefined;
  /** The amount of usage that each final invoice bills, by the invoice's id. */
  invoiced: Readonly<Record<string, MicroUsd>>;
  /** The subscription for which the provider's meter got the last event. */
  subscriptionId: string | undefined;
  /** The first of the hours that the meter has added since the provider was last told. */
  unreportedSince: string | undefined;
  /** The number of additions by the metering. */
  additions: number;
  /** The number of changes by reports. */
  version: number;
};

/** An event for the payment provider's meter: the total of a month. */
export type Sending = {
  month: string;
  value: MicroUsd;
  at: number;
  subscriptionId: string;
  markups: Record<string, number>;
};

/** Every write is refused if another run has changed the total since it was read. */
export interface BillingTotals {
  /** Tenants of a shard that are not billed in full. The index may miss one for some seconds. */
  tenants(shard: number): AsyncIterable<string>;
  /** Undefined for a tenant that never had anything to be billed. */
  get(tenantId: string): Promise<BillingTotal | undefined>;
  /** Notes what is about to be sent. @throws TotalChanged */
  sending(total: BillingTotal, sending: Sending): Promise<BillingTotal>;
  sent(total: BillingTotal): Promise<BillingTotal>;
  /**
   * Notes that an invoice is final. The meter's values of its month, and of those before, are over with it.
   * @param month `""` for an invoice that is not by the meter
   * @throws TotalChanged
   */
  invoiced(
    total: BillingTotal,
    invoice: Pick<PaymentInvoice, "id" | "quantity">,
    month: string,
    entry?: AuditEntry,
  ): Promise<BillingTotal>;
  /** Notes that the provider knows of all hours, unless more was used meanwhile. */
  reported(total: BillingTotal): Promise<void>;
  /** Ends the listing of a tenant, unless more was used meanwhile. */
  settled(total: BillingTotal, entry?: AuditEntry): Promise<void>;
}

/** Thrown if another run has changed the total. The next run reads it again. */
export class TotalChanged extends Error {
  override name = "TotalChanged";
}

/** All that was used up to the end of a month, at the platform's prices. @param until the last month; all months by default */
export function used({ costs, markups }: BillingTotal, markup: number, until = "9999"): MicroUsd {
  const months = Object.entries(costs).filter(([month]) => month <= until);
  return billed(pricedByMonth(Object.fromEntries(months), markups, markup));
}

/** Costs of months with the markup that each keeps. */
export function pricedByMonth(
  costs: Readonly<Record<string, NanoUsd>>,
  markups: BillingTotal["markups"] = {},
  markup: number,
): Priced[] {
  return Object.entries(costs).map(([month, cost]) => ({ cost, markup: markups[month] ?? markup }));
}

/** The sum of all that final invoices have billed. */
export function invoicedSum({ invoiced }: BillingTotal): MicroUsd {
  return sumOf(invoiced);
}

/** All that final invoices have billed, or that the provider's meter was told for an invoice to come. */
export function told({ invoiced, sent }: BillingTotal): MicroUsd {
  return sumOf(invoiced) + sumOf(sent);
}

function sumOf(amounts: Readonly<Record<string, MicroUsd>>): MicroUsd {
  return Object.values(amounts).reduce((sum, one) => sum + one, 0);
}
