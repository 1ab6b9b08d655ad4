// The audit trail in the table: rows by tenant and month, in the order of time.
import { type AuditEntry, monthOfEntry } from "../../domain/tenancy/audit.ts";
import { keys } from "./schema.ts";

/** 25 months, as rollups. */
const lifeSeconds = 25 * 31 * 24 * 3600;

/** The item of a transaction that keeps the entry together with its change. It has no condition: put it last. */
export function auditPut(tableName: string, entry: AuditEntry) {
  const { tenant_id, at, audit_id } = entry;
  const expires_at = Math.floor(Date.parse(at) / 1000) + lifeSeconds;
  const key = keys.audit(tenant_id, monthOfEntry(entry), `${at}#${audit_id}`);
  return { Put: { TableName: tableName, Item: { ...key, ...entry, expires_at } } };
}
