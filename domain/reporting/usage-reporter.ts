// Reports usage to the payment provider: a workspace's total of the month so far, on a meter that keeps the last value. A repeat, a
// lost answer, a late correction and a subscription that came late are mended by the next value
// (docs/decisions/0021-billing-life.md says why).

import { isEarly } from "../billing/early-invoice.ts";
import { isSameLabel } from "../billing/invoice-label.ts";
import { overpaid } from "../billing/overpayment.ts";
import type { Payer } from "../billing/payer.ts";
import {
  type MicroUsd,
  PaymentError,
  type PaymentInvoice,
  type PaymentProvider,
  type PaymentSubscription,
} from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { dayMs, hourMs, monthOf, nextMonth, startOfHour, startOfMonth } from "../kernel/period.ts";
import { Refusal } from "../kernel/refusal.ts";
import { together } from "../kernel/together.ts";
import { type BillingTotal, invoicedSum, used } from "./billing-total.ts";
import { type FinalInvoiceDependencies, noteFinal } from "./final-invoices.ts";

export type UsageReporterDependencies = FinalInvoiceDependencies & {
  /** Undefined if the tenant is gone, or has no subscription yet. */
  payer(tenantId: string): Promise<Payer | undefined>;
  /** Measures how long the oldest hour waits that the provider was not told of. */
  waited: (hours: number) => void;
  payments: Pick<
    PaymentProvider,
    "report" | "invoices" | "holdDraft" | "subscriptionById" | "relabel" | "billEarly" | "collect"
  >;
  /** Whether a workspace with this much unbilled, at list price, is billed before the month's end. */
  isDueEarly: (tenantId: string, open: NanoUsd) => Promise<boolean>;
};

/** How long a draft waits for late usage and corrections. */
const draftMs = 3 * dayMs;
/** The last hour of a month has the times of the values that are sent once the month is over. */
const reservedMs = hourMs;
/** A draft that is older than this was left by the provider, and would never be paid. */
const stuckMs = draftMs + dayMs;
/** After this much of a month there is a draft of the month before, or none will come. */
const draftlessMs = dayMs;
/** After this much of a month the hours of the month before are closed, but for those with calls whose end nobody heard. */
const closedMs = 2 * hourMs;
const secondMs = 1_000;

export class UsageReporter {
  readonly #deps: UsageReporterDependencies;

  constructor(deps: UsageReporterDependencies) {
    this.#deps = deps;
  }

  /**
   * Brings the provider's meter and the tenant's total together.
   * @throws TotalChanged if another run reports for the tenant at the same time; the next run goes on
   */
  async tenant(tenantId: string): Promise<void> {
    const { totals, payments, clock, markup } = this.#deps;
    const total = await totals.get(tenantId);
    if (!total) return;
    const { unreportedSince } = total;
    if (unreportedSince !== undefined) this.#deps.waited((clock() - startOfHour(unreportedSince)) / hourMs);
    const payer = await this.#deps.payer(tenantId);
    if (!payer) return this.#unbilled("no_subscription", total);
    const open = used(total, markup) - invoicedSum(total);
    if (isQuiet(total, payer, monthOf(clock()), open) && (payer.isDeleted || !(await this.#isDue(tenantId, open)))) {
      await totals.reported(total);
      if (Object.keys(total.sent).length === 0) await this.#settle(total, payer, open);
      return;
    }
    const subscription = await payments.subscriptionById(payer.subscriptionId);
    if (!isBilling(subscription)) {
      this.#unbilled("ended", total);
      // A deleted workspace gets no further subscription, so its total is settled.
      if (payer.isDeleted) await this.#settle(total, payer, open);
      return;
    }
    // The end of a deleted workspace's billing puts what is left on its last invoice.
    if (payer.isDeleted) return;
    await this.#report(total, payer, subscription);
    await totals.reported(total);
  }

  async #report(read: BillingTotal, payer: Payer, subscription: PaymentSubscription): Promise<void> {
    const { payments, clock, markup } = this.#deps;
    if (!isSameLabel(subscription.label, payer.label)) await payments.relabel(subscription.id, payer.label);
    const now = clock();
    const start = startOfMonth(monthOf(now));
    const all = await payments.invoices(payer.customerId);
    const own = all.filter(({ tenantId }) => tenantId === read.tenantId);
    const invoices = await together(own.map((one) => this.#advanced(one, now)));
    let total = await noteFinal(this.#deps, read, invoices, { isCompared: true });
    const previous = invoices
      .filter(({ subscriptionId, createdAt }) => subscriptionId === subscription.id && createdAt >= start)
      .toSorted((one, other) => one.createdAt - other.createdAt)[0];
    const otherDrafts = invoices.filter((one) => one.status === "draft" && one !== previous);
    let billed = invoicedSum(total) + otherDrafts.reduce((sum, { quantity }) => sum + quantity, 0);
    // The invoice of the month before may not exist yet, or may still be a draft, which takes usage.
    const isMonthBeforeOpen = subscription.startedAt < start && (!previous || previous.status === "draft");
    let before = 0;
    if (isMonthBeforeOpen) {
      const month = monthOf(start - 1);
      // The provider may make no draft of a month of which it knew no usage: then the usage is in the present month's total.
      const isWithoutDraft = !previous && now >= start + draftlessMs;
      before = isWithoutDraft ? 0 : Math.max(0, used(total, markup, month) - billed);
      await this.#hold(previous, now);
      const at = Math.max(start - reservedMs, subscription.startedAt);
      total = await this.#send(total, payer, { month, value: before, at }, previous?.quantity);
      billed += before;
    }
    if (now >= nextMonth(now) - reservedMs) return;
    let refusal: PaymentError | undefined;
    try {
      if (isMonthBeforeOpen && previous) total = await this.#endHold(total, all, previous, before, billed);
      else if (before === 0) billed += await this.#billEarly(total, payer, all, used(total, markup) - billed);
    } catch (error) {
      // Usage that is not billed early is on the month's invoice.
      if (!(error instanceof PaymentError)) throw error;
      refusal = error;
    }
    const value = Math.max(0, used(total, markup) - billed);
    await this.#send(total, payer, { month: monthOf(now), value, at: now });
    if (refusal) throw refusal;
  }

  /** @param shown the quantity on the draft, if there is one: what it lacks is sent again */
  async #send(
    total: BillingTotal,
    payer: Payer,
    { month, value, at }: { month: string; value: MicroUsd; at: number },
    shown = value,
  ): Promise<BillingTotal> {
    const { totals, payments, markup } = this.#deps;
    const isKnown = total.subscriptionId === payer.subscriptionId && total.unsure !== month;
    if (isKnown && value === (total.sent[month] ?? 0) && shown === value) return total;
    // The provider counts the value with the later time, and only one run may choose the next time.
    const last = total.sentAt[month];
    const next = Math.ceil(Math.max(at, last === undefined ? 0 : last + secondMs) / secondMs) * secondMs;
    const markups = Object.fromEntries(Object.keys(total.costs).map((one) => [one, total.markups[one] ?? markup]));
    const { customerId, slot, subscriptionId } = payer;
    const sending = await totals.sending(total, { month, value, at: next, subscriptionId, markups });
    await payments.report({ customerId, slot, at: next, value });
    return totals.sent(sending);
  }

  /**
   * Bills what is open at once, if the owner has much unpaid, and ends what an earlier run has begun of it.
   * @param all invoices of the owner
   * @returns how much of `open` is billed by it
   */
  async #billEarly(
    total: BillingTotal,
    payer: Payer,
    all: readonly PaymentInvoice[],
    open: MicroUsd,
  ): Promise<MicroUsd> {
    const { payments } = this.#deps;
    const { tenantId } = total;
    const begun = all.find((one) => one.tenantId === tenantId && one.status === "draft" && isEarly(one));
    // Usage that a draft has already is not open any more.
    const isFilled = begun !== undefined && begun.quantity > 0;
    const quantity = isFilled ? begun.quantity : open;
    if (quantity <= 0) return 0;
    if (!begun && (isOwing(all) || !(await this.#isDue(tenantId, open)))) return 0;
    const { customerId, subscriptionId, label } = payer;
    const billedBefore = invoicedSum(total);
    const invoice = { tenantId, subscriptionId, billedBefore, draftId: begun?.id, quantity };
    const billed = await payments.billEarly({ customerId, label, ...invoice });
    return isFilled ? 0 : billed;
  }

  /**
   * Makes the invoice of the month before final once it has that month's usage, if the owner has much unpaid: while it waits for
   * corrections they would be refused. What comes later is in the next total.
   * @param value what the draft is to bill
   * @param billed all that is on invoices or was told, the draft included
   */
  async #endHold(
    total: BillingTotal,
    all: readonly PaymentInvoice[],
    draft: PaymentInvoice,
    value: MicroUsd,
    billed: MicroUsd,
  ): Promise<BillingTotal> {
    const { payments, clock, markup } = this.#deps;
    const isFilled = value > 0 && draft.quantity === value && clock() >= draft.createdAt + closedMs;
    const open = used(total, markup) - billed + value;
    if (!isFilled || isOwing(all) || !(await this.#isDue(total.tenantId, open))) return total;
    const final = await payments.collect(draft.id);
    return noteFinal(this.#deps, total, [final], { isCompared: true });
  }

  /** Whether an amount that no final invoice bills yet is billed before the month's end. */
  #isDue(tenantId: string, open: MicroUsd): Promise<boolean> {
    return this.#deps.isDueEarly(tenantId, Math.floor((open * 1_000) / this.#deps.markup));
  }

  /** Keeps the invoice a draft as long as the provider lets it, for late usage and corrections. */
  async #hold(draft: PaymentInvoice | undefined, now: number): Promise<void> {
    if (!draft) return;
    const until = draft.createdAt + draftMs;
    if (until <= now || draft.finalizesAt === until) return;
    try {
      await this.#deps.payments.holdDraft(draft.id, until);
    } catch (error) {
      // The draft became final meanwhile, or the provider refused to wait. What it lacks is on the next invoice.
      if (!(error instanceof PaymentError)) throw error;
    }
  }

  /** Makes a draft final that the provider has left, or tells that it cannot. */
  async #advanced(one: PaymentInvoice, now: number): Promise<PaymentInvoice> {
    if (one.status !== "draft" || isEarly(one) || now < one.createdAt + stuckMs) return one;
    try {
      return await this.#deps.payments.collect(one.id);
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error;
      const { id, tenantId = "", quantity } = one;
      this.#deps.telemetry.unbilled("not_final", { tenant_id: tenantId, invoice_id: id, quantity });
      return one;
    }
  }

  /** Ends the reporting. What a correction after a deleted workspace's last invoice has made too much is given back by people. */
  async #settle(total: BillingTotal, { isDeleted, customerId }: Payer, open: MicroUsd): Promise<void> {
    const { tenantId } = total;
    const entry = isDeleted ? overpaid(this.#deps, "report", { tenantId, customerId, amount: -open }) : undefined;
    await this.#deps.totals.settled(total, entry);
  }

  #unbilled(reason: "no_subscription" | "ended", total: BillingTotal): void {
    const quantity = used(total, this.#deps.markup) - invoicedSum(total);
    if (quantity > 0) this.#deps.telemetry.unbilled(reason, { tenant_id: total.tenantId, quantity });
  }
}

/** Whether the provider was told all of it, and no invoice of a month before is still to come. */
function isQuiet(total: BillingTotal, payer: Payer, month: string, open: MicroUsd): boolean {
  const { sent, unsure, subscriptionId } = total;
  if (unsure !== undefined || Object.keys(sent).some((one) => one !== month)) return false;
  const isSame = subscriptionId === payer.subscriptionId || open <= 0;
  return isSame && (sent[month] ?? 0) === Math.max(0, open);
}

/** True if the owner has not paid the last invoice: then no further one is made early. */
function isOwing(invoices: readonly PaymentInvoice[]): boolean {
  return invoices.some(({ status }) => status === "open");
}

function isBilling(subscription: PaymentSubscription | undefined): subscription is PaymentSubscription {
  return subscription !== undefined && !["canceled", "incomplete_expired"].includes(subscription.status);
}

/** Whether the provider did not answer. Such a failure concerns every tenant. */
export function isOutage(problem: unknown): boolean {
  return problem instanceof Refusal && problem.code === "payments_unavailable";
}
