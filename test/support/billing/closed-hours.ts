// The meter's part of a bill over a table in memory: closes a workspace's hours, and says until when they are closed.
import { ownerAllowances } from "../../../adapters/dynamodb/budget/allowances.ts";
import { creditReader } from "../../../adapters/dynamodb/budget/credits.ts";
import { unexplainedStore } from "../../../adapters/dynamodb/budget/unexplained.ts";
import { ledgerStore } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { meteringProgressStore } from "../../../adapters/dynamodb/ledger/metering-progress.ts";
import { rollupStore } from "../../../adapters/dynamodb/ledger/rollups.ts";
import { hourReportStore } from "../../../adapters/dynamodb/metering/hour-reports.ts";
import type { Rows } from "../../../adapters/dynamodb/rows.ts";
import { hourMs, monthOf } from "../../../domain/kernel/period.ts";
import { isMetered } from "../../../domain/ledger/metering-end.ts";
import { advanced, hoursDue, progressFrom } from "../../../domain/ledger/metering-progress.ts";
import { Closing } from "../../../domain/metering/closing.ts";
import type { LateCorrections } from "../../../domain/metering/hour-report.ts";
import { shardOf } from "../../../domain/metering/shard.ts";

type Hours = {
  tenantId: string;
  /** The workspace's first request; none was made without it. */
  from: number | undefined;
  lateCorrections: LateCorrections;
  clock: () => number;
};

export async function closeHours(rows: Rows, { tenantId, from, lateCorrections, clock }: Hours): Promise<void> {
  const closing = new Closing({
    ledger: ledgerStore(rows),
    credits: creditReader(rows),
    allowances: ownerAllowances(rows),
    unexplained: unexplainedStore(rows),
    log: { problem: () => {} },
    rollups: rollupStore(rows),
    reports: hourReportStore(rows),
    lateCorrections,
    clock,
  });
  for await (const late of lateCorrections.of(shardOf(tenantId))) await closing.rollUpAgain(late);
  const progress = meteringProgressStore(rows);
  if (from === undefined) return;
  const months = new Set([monthOf(Math.max(from, clock() - 31 * 24 * hourMs)), monthOf(clock())]);
  for (const month of months) {
    const before = (await progress.of(tenantId, month)) ?? progressFrom(month, from);
    const due = hoursDue(before, month, clock());
    const waiting: string[] = [];
    for (const hour of due) if (!(await closing.close(tenantId, hour))) waiting.push(hour);
    await progress.advance(tenantId, month, advanced(before, due, waiting));
  }
}

/** Whether everything up to a moment is closed of a workspace whose first request was at `from`. */
export function meteredUntil(rows: Rows, from: number | undefined) {
  const since = async (_: string, month: string) => (from === undefined || monthOf(from) > month ? undefined : from);
  const metering = { progress: meteringProgressStore(rows), firstCalls: { since } };
  return (tenantId: string, endedAt: number) => isMetered(metering, tenantId, endedAt);
}
