// The outbox of the billing: the reports of closed hours that are still to be billed, and the one event that is sent for each.
import type { MicroUsd, UsageEvent } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { FemtoUsd } from "./quantity.ts";

/** The event of an hour. It never changes: each repeat sends what was sent first. */
export type FrozenEvent = UsageEvent & {
  /** Since when nobody knows whether the event counts, in milliseconds. */
  unconfirmedSince: number;
};

export type OpenReport = {
  tenantId: string;
  /** `2026-11-21T05` */
  hour: string;
  /** At list price, without what free credit paid. */
  value: NanoUsd;
} & ({ state: "unsent" } | { state: "sending" | "taken"; event: FrozenEvent });

export type SentReport = Extract<OpenReport, { event: FrozenEvent }>;

/** What the tenant's next event bills besides its own hour. */
export type Balance = {
  /** Sum of reports that came too late for their own invoice, with the markup; below zero if they took something back. */
  carried: MicroUsd;
  fraction: FemtoUsd;
};

/** The right to report for a tenant: one run holds it at a time, and a write is refused once another run holds it. */
export type ReportingLease = Balance & { tenantId: string; holder: string; until: number };

/** Another run has changed the report or the balance. The next run reads both again. */
export class OutboxChanged extends Error {
  override name = "OutboxChanged";
}

export interface UsageOutbox {
  /** Tenants of a shard that have anything to be billed, each once. The index may miss one for some seconds. */
  tenants(shard: number): AsyncIterable<string>;
  /** @returns undefined while another run holds the lease */
  lease(tenantId: string, holder: string, times: { now: number; until: number }): Promise<ReportingLease | undefined>;
  release(lease: ReportingLease): Promise<void>;
  /** The tenant's reports that are not final, oldest first, as many as one read gives. */
  reports(tenantId: string): Promise<OpenReport[]>;
  /** The hour's report if its state is `unsent`, also one with nothing to bill. */
  unsent(tenantId: string, hour: string): Promise<OpenReport | undefined>;
  /**
   * Freezes the event of an unsent report and sets the balance, both or neither. Without an event there was less than a
   * micro-USD to bill.
   * @throws OutboxChanged
   */
  freeze(
    lease: ReportingLease,
    report: OpenReport,
    event: FrozenEvent | undefined,
    next: Balance,
  ): Promise<ReportingLease>;
  /** Ends the report as `carried` and sets the balance that now contains it, both or neither. @throws OutboxChanged */
  carry(lease: ReportingLease, report: OpenReport, next: Balance): Promise<ReportingLease>;
  taken(report: SentReport, at: number): Promise<void>;
  counted(report: SentReport): Promise<void>;
  lost(report: OpenReport): Promise<void>;
  /**
   * Opens the report of an event again, since the payment provider said that it did not count it.
   * @returns false if the event is none of this stack's
   */
  reopen(identifier: string): Promise<boolean>;
}

/** One identifier for each hour and tenant, always: a second event of an hour would replace the first. */
export function eventIdentifier(tenantId: string, hour: string): string {
  return `usage-${tenantId}-${hour}`;
}

const identifier = /^usage-(.+)-(\d{4}-\d{2}-\d{2}T\d{2})$/;

/** The tenant and hour that an identifier names; undefined if it is not of that form. */
export function hourOfEvent(given: string): { tenantId: string; hour: string } | undefined {
  const [, tenantId, hour] = identifier.exec(given) ?? [];
  return tenantId && hour ? { tenantId, hour } : undefined;
}
