// Reports usage to the payment provider: one event for each closed hour, frozen before it is sent and sent until it counts. Every
// step may be repeated (docs/decisions/0022-reporting-usage.md says why).

import type { BillingTelemetry, UnbilledReason } from "../billing/billing-telemetry.ts";
import type { Payer } from "../billing/payer.ts";
import type { PaymentInvoice, PaymentProvider, PaymentSubscription } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { hourMs, hourOf, monthOf, startOfHour } from "../kernel/period.ts";
import { Refusal } from "../kernel/refusal.ts";
import { eventTimeOf, isPastBilling, isTooOld } from "./event-time.ts";
import { billed } from "./quantity.ts";
import { maxReversal, mergeBalance } from "./reversal.ts";
import {
  eventIdentifier,
  type FrozenEvent,
  type OpenReport,
  type ReportingLease,
  type SentReport,
  type UsageOutbox,
} from "./usage-outbox.ts";

export type UsageReporterDependencies = {
  outbox: UsageOutbox;
  /** Undefined if the tenant is gone, or has no subscription yet. */
  payer(tenantId: string): Promise<Payer | undefined>;
  payments: Pick<PaymentProvider, "report" | "aggregated" | "aggregatedBetween" | "invoices" | "subscriptionById">;
  idleHours: IdleHours;
  telemetry: BillingTelemetry;
  markup: number;
  newId: () => string;
  clock: () => number;
};

export interface IdleHours {
  /**
   * Freezes a report of an hour that has no rows, with the tenant's adjustments.
   * @returns false if it froze none, since the hour is not closed yet or nothing is to be billed
   */
  report(
    tenantId: string,
    hour: string,
    wanted: {
      /** Freezes a report also if there are no adjustments. */
      isWanted: boolean;
      /** The most that the report may take back; undefined if nobody knows yet. Called only for adjustments below zero. */
      maxReversal: () => Promise<NanoUsd | undefined>;
    },
  ): Promise<boolean>;
}

/** Longer than a job runs. Only the holder of the lease reports for the tenant: Stripe takes one call for a customer at a time. */
const leaseMs = 5 * 60_000;
/** No call is begun in the last part of the lease. */
const leaseReserveMs = 60_000;
/** After this time an event that is missing in the provider's summary is sent again. The provider publishes no delay. */
export const confirmationMs = 24 * hourMs;
/** The summary is not read earlier than this after an event was taken. */
const firstLookMs = 10 * 60_000;
/** How long after its end an hour without usage may bill a balance: the meter has closed it by then. */
const idleMs = 10 * 60_000;

/** The tenant at the payment provider, read once for all of its reports. */
type Account = {
  payer: Payer;
  subscription: PaymentSubscription | undefined;
  invoices: () => Promise<PaymentInvoice[]>;
};

export class UsageReporter {
  readonly #deps: UsageReporterDependencies;

  constructor(deps: UsageReporterDependencies) {
    this.#deps = deps;
  }

  /**
   * Reports a tenant's open reports. They wait while there is no subscription, or another run holds the tenant.
   * @throws the error of the first report that failed; the reports after it are left to a repeat
   */
  async tenant(tenantId: string): Promise<void> {
    const { outbox, newId, clock } = this.#deps;
    const now = clock();
    const lease = await outbox.lease(tenantId, newId(), { now, until: now + leaseMs });
    if (!lease) return;
    const held = { lease };
    try {
      await this.#all(held);
    } finally {
      await outbox.release(held.lease);
    }
  }

  async #all(held: { lease: ReportingLease }): Promise<void> {
    const { outbox, clock } = this.#deps;
    const { tenantId } = held.lease;
    const all = await outbox.reports(tenantId);
    const old = all.filter(({ state, hour }) => state === "unsent" && isTooOld(hour, clock()));
    for (const report of old) await this.#lose(report, "too_old");
    const payer = await this.#deps.payer(tenantId);
    if (!payer) return;
    const account = await this.#account(payer);
    for (const report of all) {
      if (old.includes(report)) continue;
      if (this.#isLate(held.lease)) return;
      held.lease = await (report.state === "unsent"
        ? this.#begin(account, held.lease, report)
        : this.#pursue(account, held.lease, report));
    }
    if (this.#isLate(held.lease)) return;
    held.lease = await this.#billBalance(account, held.lease, { isLast: all.length === 0 });
  }

  async #account(payer: Payer): Promise<Account> {
    const { payments } = this.#deps;
    const subscription = await payments.subscriptionById(payer.subscriptionId);
    let invoices: Promise<PaymentInvoice[]> | undefined;
    return {
      payer,
      subscription,
      invoices: () => {
        invoices ??= payments.invoices(payer.customerId);
        return invoices;
      },
    };
  }

  async #begin(account: Account, lease: ReportingLease, report: OpenReport): Promise<ReportingLease> {
    const { outbox, markup, clock } = this.#deps;
    const { payer, subscription } = account;
    if (!isBilling(subscription)) {
      await this.#ended(payer, report);
      return lease;
    }
    const own = billed(report.value, markup, lease.fraction);
    if (await isPastBilling(report.hour, clock(), subscription, account.invoices)) {
      return outbox.carry(lease, report, { carried: lease.carried + own.quantity, fraction: own.fraction });
    }
    const { value, carried } = mergeBalance(own.quantity, lease.carried);
    const next = { carried, fraction: own.fraction };
    if (value === 0) return outbox.freeze(lease, report, undefined, next);
    const { tenantId, hour } = report;
    const event: FrozenEvent = {
      customerId: payer.customerId,
      slot: payer.slot,
      identifier: eventIdentifier(tenantId, hour),
      at: eventTimeOf(hour),
      value,
      unconfirmedSince: clock(),
    };
    const frozen = await outbox.freeze(lease, report, event, next);
    return this.#pursue(account, frozen, { ...report, state: "sending", event });
  }

  /** Sends the frozen event until the provider's summary shows it: an event that was taken is not aggregated yet. */
  async #pursue(account: Account, lease: ReportingLease, report: SentReport): Promise<ReportingLease> {
    const { outbox, payments, clock } = this.#deps;
    const { event, hour } = report;
    const isTaken = report.state === "taken";
    const waited = clock() - event.unconfirmedSince;
    const isOverdue = waited >= confirmationMs;
    if (isTaken && waited < firstLookMs) return lease;
    if (isTaken || isOverdue) {
      const { customerId, slot } = event;
      const seen = await payments.aggregated({ customerId, slot, hourStart: startOfHour(hour) });
      if (seen === event.value) {
        await outbox.counted(report);
        return lease;
      }
      if (!isOverdue) return lease;
      if (isTaken) this.#alarm("difference", report, seen);
      if (isTooOld(hour, clock())) {
        await this.#lose(report, "too_old");
        return lease;
      }
      if (seen === undefined && (await this.#isPast(account, hour))) return this.#moveToBalance(account, lease, report);
    }
    // Sent now, the event would count on no invoice. Whether it counts already is read once the day is over.
    if (await this.#isPast(account, hour)) return lease;
    const { unconfirmedSince: _since, ...sent } = event;
    if ((await payments.report(sent)) === "too_old") await this.#lose(report, "too_old");
    else await outbox.taken(report, clock());
    return lease;
  }

  async #isPast({ subscription, invoices }: Account, hour: string): Promise<boolean> {
    return !isBilling(subscription) || isPastBilling(hour, this.#deps.clock(), subscription, invoices);
  }

  /** Adds an event to the balance that the provider does not have, and would not bill any more. */
  async #moveToBalance({ payer, subscription }: Account, lease: ReportingLease, report: SentReport) {
    if (isBilling(subscription)) {
      const next = { carried: lease.carried + report.event.value, fraction: lease.fraction };
      return this.#deps.outbox.carry(lease, report, next);
    }
    await this.#ended(payer, report);
    return lease;
  }

  /** Usage after a deleted workspace's subscription is lost to the platform. A subscription that ended otherwise raises an alarm. */
  async #ended({ isDeleted }: Payer, report: OpenReport): Promise<void> {
    if (isDeleted) await this.#lose(report, "ended");
    else this.#alarm("ended", report);
  }

  /**
   * Bills the balance and the adjustments by the report of an idle hour, since the tenant may have no later usage.
   * @param isLast whether no other event of the tenant is on its way
   */
  async #billBalance(account: Account, lease: ReportingLease, { isLast }: { isLast: boolean }) {
    const { outbox, payments, idleHours, telemetry, markup, clock } = this.#deps;
    const { tenantId, carried } = lease;
    const hour = hourOf(clock() - idleMs - hourMs);
    const { payer, subscription } = account;
    if (!isBilling(subscription)) {
      // The tenant is listed without an open report, so that only its balance or its adjustments are unbilled.
      if (isLast && !payer.isDeleted) telemetry.unbilled("ended", { tenant_id: tenantId, quantity: carried });
      return lease;
    }
    // An hour of the month before would be billed on an invoice that is about to be final: the balance waits for the new month.
    if (monthOf(startOfHour(hour)) !== monthOf(clock()) || eventTimeOf(hour) < subscription.startedAt) return lease;
    const reversible = async () =>
      isLast ? maxReversal({ payments, markup, now: clock() }, { payer, subscription, carried }) : undefined;
    if (!(await idleHours.report(tenantId, hour, { isWanted: carried > 0, maxReversal: reversible }))) return lease;
    const report = await outbox.unsent(tenantId, hour);
    if (!report || (report.value === 0 && lease.carried === 0)) return lease;
    return this.#begin(account, lease, report);
  }

  async #lose(report: OpenReport, reason: UnbilledReason): Promise<void> {
    await this.#deps.outbox.lost(report);
    this.#alarm(reason, report);
  }

  #alarm(reason: UnbilledReason, report: OpenReport, seen?: number): void {
    const { tenantId, hour } = report;
    const quantity = report.state === "unsent" ? undefined : report.event.value;
    this.#deps.telemetry.unbilled(reason, {
      ...{ tenant_id: tenantId, hour },
      ...(quantity !== undefined && { quantity }),
      ...(seen !== undefined && { seen }),
    });
  }

  #isLate({ until }: ReportingLease): boolean {
    return this.#deps.clock() > until - leaseReserveMs;
  }
}

function isBilling(subscription: PaymentSubscription | undefined): subscription is PaymentSubscription {
  return subscription !== undefined && !["canceled", "incomplete_expired"].includes(subscription.status);
}

/** Whether the provider did not answer, which concerns every tenant. */
export function isOutage(problem: unknown): boolean {
  return problem instanceof Refusal && problem.code === "payments_unavailable";
}
