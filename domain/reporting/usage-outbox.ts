// The outbox of the billing: of each closed hour what is to be billed, and the one event that is sent of it.

import type { MicroUsd, UsageEvent } from "../billing/payment-provider.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { FemtoUsd } from "./quantity.ts";

/** The event of an hour, which never changes: as it was sent first, it is sent again. */
export type FrozenEvent = UsageEvent & {
  /** Since when nobody knows whether it counts; milliseconds. */
  doubtfulSince: number;
};

export type OpenReport = {
  tenantId: string;
  /** `2026-11-21T05` */
  hour: string;
  /** At list price, without what free credit has paid. */
  value: NanoUsd;
} & ({ state: "unsent" } | { state: "sending" | "taken"; event: FrozenEvent });

export type SentReport = Extract<OpenReport, { event: FrozenEvent }>;

/** What the tenant's next event takes with it. */
export type Remainder = {
  /** Of reports that came too late for their own invoice, markup included; below zero if they took something back. */
  carried: MicroUsd;
  left: FemtoUsd;
};

/** Who has it may report for the tenant, alone. What it writes after another has taken it is refused. */
export type ReportingLease = Remainder & { tenantId: string; holder: string; until: number };

/** Somebody else has changed it meanwhile. The next run finds out what is so. */
export class OutboxChanged extends Error {
  override name = "OutboxChanged";
}

export interface UsageOutbox {
  /** Tenants of a shard that have anything to be billed, each once. One may be missing for some seconds. */
  tenants(shard: number): AsyncIterable<string>;
  /** @returns none while another has it */
  lease(tenantId: string, holder: string, times: { now: number; until: number }): Promise<ReportingLease | undefined>;
  release(lease: ReportingLease): Promise<void>;
  /** The tenant's reports that are still open, oldest first, at most a hundred. */
  reports(tenantId: string): Promise<OpenReport[]>;
  /** That of an hour, also one with nothing to bill; none if there is no report or it is not `unsent`. */
  unsent(tenantId: string, hour: string): Promise<OpenReport | undefined>;
  /**
   * Freezes the event of an unsent report and sets what is left, both or neither. Without an event there was less than a
   * micro-USD to bill.
   * @throws OutboxChanged
   */
  freeze(
    lease: ReportingLease,
    report: OpenReport,
    event: FrozenEvent | undefined,
    next: Remainder,
  ): Promise<ReportingLease>;
  /** What is to be billed of the report goes to the next event. @throws OutboxChanged */
  carry(lease: ReportingLease, report: OpenReport, next: Remainder): Promise<ReportingLease>;
  taken(report: SentReport, at: number): Promise<void>;
  counted(report: SentReport): Promise<void>;
  lost(report: OpenReport): Promise<void>;
  /**
   * The provider has said that it did not count an event.
   * @returns whether it is one of ours; it is open again then
   */
  doubt(identifier: string): Promise<boolean>;
}

/** One for each hour and tenant, for ever: a second event of an hour would take the place of the first. */
export function eventIdentifier(tenantId: string, hour: string): string {
  return `usage-${tenantId}-${hour}`;
}

const identifier = /^usage-(.+)-(\d{4}-\d{2}-\d{2}T\d{2})$/;

/** What an identifier names; nothing if it is not of that form. */
export function hourOfEvent(given: string): { tenantId: string; hour: string } | undefined {
  const [, tenantId, hour] = identifier.exec(given) ?? [];
  return tenantId && hour ? { tenantId, hour } : undefined;
}
