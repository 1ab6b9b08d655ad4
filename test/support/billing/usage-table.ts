// A table in memory with the usage of workspaces: their requests, their free credit, and what was reported of them.

import { creditRecord } from "../../../adapters/dynamodb/budget/credit.record.ts";
import { ledgerRecord } from "../../../adapters/dynamodb/ledger/ledger.record.ts";
import { ledgerItem } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { records } from "../../../adapters/dynamodb/records.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { aRow } from "../accounting/memory-metering.ts";
import { MemoryTable } from "../memory-dynamodb/memory-table.ts";

export abstract class UsageTable {
  readonly table = new MemoryTable();
  /** Each workspace's first request. */
  protected readonly usedFrom = new Map<string, number>();

  abstract get now(): number;

  /** Free credit. */
  grant(tenantId: string, granted_tokens: number): void {
    this.table.put({ ...creditRecord.key({ tenant_id: tenantId }), granted_tokens, spent: 0, committed: 0 });
  }

  /** What the reports say of it, in tokens and nano-USD, and what is spent of it by its own row. */
  paidByCredit(tenantId: string): { tokens: number; value: number; spent: number } {
    const sumOf = (name: string) => this.reportsOf(tenantId).reduce((sum, one) => sum + Number(one[name] ?? 0), 0);
    const { spent = 0 } = this.table.get(creditRecord.key({ tenant_id: tenantId })) ?? {};
    return { tokens: sumOf("credit_tokens"), value: sumOf("credit_value"), spent: Number(spent) };
  }

  /** A request of this time. */
  use(tenantId: string, cost: number, changes: Partial<LedgerRow> & { at?: number } = {}): LedgerRow {
    const { at = this.now, ...rest } = changes;
    const request_id = rest.request_id ?? `r${[...this.table.items].length}-${Math.floor(at)}`;
    const admitted_at = new Date(at).toISOString();
    const row = aRow(request_id, { tenant_id: tenantId, cost, admitted_at, ...rest });
    this.table.put(ledgerItem(row));
    this.usedFrom.set(tenantId, Math.min(at, this.usedFrom.get(tenantId) ?? at));
    return row;
  }

  /** As it stands in the ledger. */
  row({ tenant_id, admitted_at, request_id }: LedgerRow): LedgerRow | undefined {
    return this.table.get(ledgerRecord.key({ tenant_id, hour: admitted_at.slice(0, 13), request_id })) as
      | LedgerRow
      | undefined;
  }

  reportsOf(tenantId: string) {
    const pk = `${records.report.prefix}${tenantId}#`;
    return [...this.table.items].filter((item) => String(item.pk).startsWith(pk));
  }
}
