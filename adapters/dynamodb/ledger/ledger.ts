// The ledger in the table: rows by tenant and hour. A row is written once, and a provisional one is replaced once
// (ledger-transactions.ts).
import { hourOf } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { LedgerRow, LedgerStore } from "../../../domain/ledger/ledger.ts";
import { recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { type Key, keys } from "../schema.ts";

export function ledgerStore(rows: Rows): LedgerStore {
  return {
    async putIfAbsent(row) {
      const met = await rows.putUnlessMet(ledgerItem(row));
      return met ? rowOf(met) : row;
    },

    async get(row) {
      const item = await rows.get(keyOf(row));
      return item && rowOf(item);
    },

    async *hour(tenantId, hour, requestId) {
      const only = requestId === undefined ? {} : { from: requestId, upTo: requestId };
      for await (const page of rows.pages({ pk: keys.ledger(tenantId, hour, "").pk, ...only })) yield page.map(rowOf);
    },
  };
}

/** The row as it is stored. */
export function ledgerItem(row: LedgerRow) {
  return { ...keyOf(row), ...row, expires_at: expiresAt("ledger", Date.parse(row.admitted_at)) };
}

function keyOf(row: Parameters<LedgerStore["get"]>[0]): Key {
  return keys.ledger(row.tenant_id, hourOf(Date.parse(row.admitted_at)), row.request_id);
}

function rowOf(item: Record<string, unknown>): LedgerRow {
  const { expires_at: _expiresAt, ...row } = recordOf<LedgerRow & { expires_at: number }>(item);
  return row;
}
