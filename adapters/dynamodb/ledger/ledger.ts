// The ledger in the table: rows by tenant and hour. A row is written once, and a provisional one is replaced once
// (ledger-transactions.ts).
import { hourOf } from "../../../domain/kernel/period.ts";
import type { LedgerRow, LedgerStore } from "../../../domain/ledger/ledger.ts";
import type { Rows } from "../rows.ts";
import type { Key } from "../table.ts";
import { ledgerRecord } from "./ledger.record.ts";

export function ledgerStore(rows: Rows): LedgerStore {
  return {
    async putIfAbsent(row) {
      const met = await rows.putUnlessMet(ledgerItem(row));
      return met ? ledgerRecord.parse(met) : row;
    },

    async get(row) {
      return ledgerRecord.parse(await rows.get(keyOf(row)));
    },

    async *hour(tenantId, hour, requestId) {
      const only = requestId === undefined ? {} : { from: requestId, upTo: requestId };
      for await (const page of rows.pages({ pk: ledgerRecord.range({ tenant_id: tenantId, hour }).pk, ...only }))
        yield page.map((item) => ledgerRecord.parse(item));
    },
  };
}

/** The row as it is stored. */
export function ledgerItem(row: LedgerRow) {
  return { ...keyOf(row), ...row, expires_at: ledgerRecord.expiresAt(Date.parse(row.admitted_at)) };
}

function keyOf(row: Parameters<LedgerStore["get"]>[0]): Key {
  return ledgerRecord.key({
    tenant_id: row.tenant_id,
    hour: hourOf(Date.parse(row.admitted_at)),
    request_id: row.request_id,
  });
}
