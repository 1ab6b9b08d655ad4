// The audit trail in the table: rows by tenant and month, in the order of time.
import { monthOf, startOfMonth } from "../../../domain/kernel/period.ts";
import { retentionMs } from "../../../domain/kernel/retention.ts";
import { type AuditEntry, type AuditTrail, auditEntrySchema, trailsOf } from "../../../domain/workspace/audit.ts";
import type { Rows } from "../rows.ts";
import { auditRecord } from "./audit.record.ts";

/** The item of a transaction that writes the entry together with its change. It has no condition, so put it last. */
export function auditPut(entry: AuditEntry, trail = entry.tenant_id) {
  const { at, audit_id } = entry;
  const key = auditRecord.key({ trail, at, audit_id });
  return { Put: { Item: { ...key, ...entry, expires_at: auditRecord.expiresAt(Date.parse(at)) } } };
}

/** Like `auditPut`, for an entry that may belong to two trails: it makes one item for each of them. */
export function auditPuts(entry: AuditEntry) {
  return trailsOf(entry).map((trail) => auditPut(entry, trail));
}

/** Most calls to the store for one page. Entries that the filter skips are read too. */
const maxCalls = 30;

export function auditTrail(rows: Rows): AuditTrail {
  return {
    async note(entry) {
      await rows.transact(auditPuts(entry));
    },

    async list(tenantId, { actor, action, target, from, to }, { limit, after }, now) {
      const items: AuditEntry[] = [];
      // All stored entries lie between `kept` and `youngest`.
      const youngest = new Date(now + 1).toISOString();
      const kept = new Date(now - retentionMs(auditRecord.life)).toISOString();
      const oldest = from !== undefined && from > kept ? from : kept;
      // The position after which the page begins: time and id of the previous entry. Its month follows from it.
      let before = [after ?? to ?? youngest, youngest].toSorted()[0] ?? youngest;
      const filters = [
        ...(actor === undefined ? [] : ["actor = :actor"]),
        ...(action === undefined ? [] : ["#a = :action"]),
        ...(target === undefined ? [] : ["target = :target"]),
      ];
      for (let call = 0; call < maxCalls; call++) {
        // A cursor that no page has returned may hold no month.
        if (before < oldest || !/^\d{4}-(0[1-9]|1[0-2])-/.test(before)) return { items, next: undefined };
        const month = before.slice(0, 7);
        const range = { pk: auditRecord.range({ trail: tenantId, at: month }).pk, from: oldest, upTo: before };
        const { Items = [], LastEvaluatedKey } = await rows.query(range, {
          ConsistentRead: false,
          ...(filters.length > 0 && { FilterExpression: filters.join(" AND ") }),
          ...(action !== undefined && { ExpressionAttributeNames: { "#a": "action" } }),
          ExpressionAttributeValues: {
            ...(actor !== undefined && { ":actor": actor }),
            ...(action !== undefined && { ":action": action }),
            ...(target !== undefined && { ":target": target }),
          },
          ScanIndexForward: false,
          // The page reads one entry more than it shows, because the range includes the last entry of the page before.
          Limit: limit - items.length + 1,
        });
        const found = Items.filter(({ sk }) => sk !== before);
        items.push(...found.slice(0, limit - items.length).map((item) => auditEntrySchema.parse(item)));
        if (items.length === limit) return { items, next: placeOf(items.at(-1)) };
        before = LastEvaluatedKey ? String(LastEvaluatedKey.sk) : endOfMonthBefore(month);
      }
      return { items, next: before };
    },
  };
}

function placeOf(entry: AuditEntry | undefined): string | undefined {
  return entry && `${entry.at}#${entry.audit_id}`;
}

/** A position after all entries of the month before. */
function endOfMonthBefore(month: string): string {
  const last = startOfMonth(month) - 1;
  return `${monthOf(last)}${new Date(last).toISOString().slice(7)}~`;
}
