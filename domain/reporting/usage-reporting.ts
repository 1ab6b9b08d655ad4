// Reports usage to the payment provider: of each closed hour one event, frozen before it is sent, and sent until it counts. Every
// step may be repeated. Why so: docs/decisions/0022.

import type { BillingTelemetry, UnbilledReason } from "../billing/billing-telemetry.ts";
import type { Payer } from "../billing/payer.ts";
import type { PaymentInvoice, PaymentProvider, PaymentSubscription } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { hourMs, hourOf, monthOf, startOfHour } from "../kernel/period.ts";
import { Refusal } from "../kernel/refusal.ts";
import { billed } from "./quantity.ts";
import { isPastBilling, isTooOld, stampOf } from "./stamp.ts";
import { mostTakenBack, withCarried } from "./taking-back.ts";
import {
  eventIdentifier,
  type FrozenEvent,
  type OpenReport,
  type ReportingLease,
  type SentReport,
  type UsageOutbox,
} from "./usage-outbox.ts";

export type UsageReportingDependencies = {
  outbox: UsageOutbox;
  /** None if the tenant is gone, or has no subscription yet. */
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
   * Makes a report of an hour that is closed without one, with the tenant's carries.
   * @returns false if there is none, since the hour may still get rows of its own, or nothing is to be billed
   */
  report(
    tenantId: string,
    hour: string,
    wanted: {
      /** Also if there are no carries. */
      isWanted: boolean;
      /** How much may be taken back of what was billed too much; none if nobody knows yet. Asked for only then. */
      takeBack: () => Promise<NanoUsd | undefined>;
    },
  ): Promise<boolean>;
}

/** Longer than a job runs. Nobody else reports for the tenant meanwhile: the provider takes one call at a time. */
const leaseMs = 5 * 60_000;
/** No call is begun in the last part of it. */
const leaseReserveMs = 60_000;
/** The provider publishes no lag: so long an event may be missing in its summary before it is thought lost. */
export const doubtMs = 24 * hourMs;
/** Nothing is looked up before. */
const firstLookMs = 10 * 60_000;
/** An hour that nobody uses is taken for what is carried so long after its end: the meter has closed it by then. */
const idleMs = 10 * 60_000;

/** What is known of the tenant at the provider while its reports are worked off. */
type Account = {
  payer: Payer;
  subscription: PaymentSubscription | undefined;
  invoices: () => Promise<PaymentInvoice[]>;
};

export class UsageReporting {
  readonly #deps: UsageReportingDependencies;

  constructor(deps: UsageReportingDependencies) {
    this.#deps = deps;
  }

  /**
   * Reports what is open of a tenant. Without a subscription, or while another run has the tenant, it waits.
   * @throws what went wrong; what comes after it is left to a repeat
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
    held.lease = await this.#carriedAlone(account, held.lease, { isLast: all.length === 0 });
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
    const own = billed(report.value, markup, lease.left);
    if (await isPastBilling(report.hour, clock(), subscription, account.invoices)) {
      return outbox.carry(lease, report, { carried: lease.carried + own.quantity, left: own.left });
    }
    const { value, carried } = withCarried(own.quantity, lease.carried);
    const next = { carried, left: own.left };
    if (value === 0) return outbox.freeze(lease, report, undefined, next);
    const { tenantId, hour } = report;
    const event: FrozenEvent = {
      customerId: payer.customerId,
      slot: payer.slot,
      identifier: eventIdentifier(tenantId, hour),
      at: stampOf(hour),
      value,
      doubtfulSince: clock(),
    };
    const frozen = await outbox.freeze(lease, report, event, next);
    return this.#pursue(account, frozen, { ...report, state: "sending", event });
  }

  /** Sends the frozen event, and again until the provider shows that it counts: what is taken is not aggregated yet. */
  async #pursue(account: Account, lease: ReportingLease, report: SentReport): Promise<ReportingLease> {
    const { outbox, payments, clock } = this.#deps;
    const { event, hour } = report;
    const isTaken = report.state === "taken";
    const waited = clock() - event.doubtfulSince;
    const isDoubtful = waited >= doubtMs;
    if (isTaken && waited < firstLookMs) return lease;
    if (isTaken || isDoubtful) {
      const { customerId, slot } = event;
      const seen = await payments.aggregated({ customerId, slot, hourStart: startOfHour(hour) });
      if (seen === event.value) {
        await outbox.counted(report);
        return lease;
      }
      if (!isDoubtful) return lease;
      if (isTaken) this.#alarm("difference", report, seen);
      if (isTooOld(hour, clock())) {
        await this.#lose(report, "too_old");
        return lease;
      }
      if (seen === undefined && (await this.#isPast(account, hour))) return this.#carryBack(account, lease, report);
    }
    // It would count on an invoice that is final. Whether it does already is looked up when the day is over.
    if (await this.#isPast(account, hour)) return lease;
    const { doubtfulSince: _since, ...sent } = event;
    if ((await payments.report(sent)) === "too_old") await this.#lose(report, "too_old");
    else await outbox.taken(report, clock());
    return lease;
  }

  async #isPast({ subscription, invoices }: Account, hour: string): Promise<boolean> {
    return !isBilling(subscription) || isPastBilling(hour, this.#deps.clock(), subscription, invoices);
  }

  /** The provider has nothing of it, and would bill it no more. */
  async #carryBack({ payer, subscription }: Account, lease: ReportingLease, report: SentReport) {
    if (isBilling(subscription)) {
      const next = { carried: lease.carried + report.event.value, left: lease.left };
      return this.#deps.outbox.carry(lease, report, next);
    }
    await this.#ended(payer, report);
    return lease;
  }

  /** What settles after a workspace's end is the platform's loss; an end that nobody asked for waits for somebody to look. */
  async #ended({ isDeleted }: Payer, report: OpenReport): Promise<void> {
    if (isDeleted) await this.#lose(report, "ended");
    else this.#alarm("ended", report);
  }

  /**
   * What is carried waits for an hour with usage; the tenant may have none. Then an hour without any takes it.
   * @param isLast whether nothing else of the tenant is on its way
   */
  async #carriedAlone(account: Account, lease: ReportingLease, { isLast }: { isLast: boolean }) {
    const { outbox, payments, idleHours, telemetry, markup, clock } = this.#deps;
    const { tenantId, carried } = lease;
    const hour = hourOf(clock() - idleMs - hourMs);
    const { payer, subscription } = account;
    if (!isBilling(subscription)) {
      // Whose listing brought us here has something that no report says.
      if (isLast && !payer.isDeleted) telemetry.unbilled("ended", { tenant_id: tenantId, quantity: carried });
      return lease;
    }
    // The first hours of a month are the next one's, once it has any.
    if (monthOf(startOfHour(hour)) !== monthOf(clock()) || stampOf(hour) < subscription.startedAt) return lease;
    const takeBack = async () =>
      isLast ? mostTakenBack({ payments, markup, now: clock() }, { payer, subscription, carried }) : undefined;
    if (!(await idleHours.report(tenantId, hour, { isWanted: carried > 0, takeBack }))) return lease;
    const report = await outbox.unsent(tenantId, hour);
    if (!report || (report.value === 0 && lease.carried === 0)) return lease;
    return this.#begin(account, lease, report);
  }

  async #lose(report: OpenReport, reason: UnbilledReason): Promise<void> {
    await this.#deps.outbox.lost(report);
    this.#alarm(reason, report);
  }

  #alarm(reason: UnbilledReason, report: OpenReport, seen?: number): void {
    const { tenantId: tenant_id, hour } = report;
    const quantity = report.state === "unsent" ? undefined : report.event.value;
    this.#deps.telemetry.unbilled(reason, {
      ...{ tenant_id, hour },
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

/** Whether the provider did not answer: everybody's trouble, and no tenant's. */
export function isOutage(problem: unknown): boolean {
  return problem instanceof Refusal && problem.code === "payments_unavailable";
}
