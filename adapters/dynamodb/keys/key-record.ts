// The row of an API key: how it is written, read by its id, and listed by tenant.
import type { ApiKey, ApiKeyFilter, ApiKeyStore } from "../../../domain/access/api-key.ts";
import { hasKey } from "../client.ts";
import { listed } from "../listed.ts";
import type { Rows } from "../rows.ts";
import { idIn } from "../table.ts";
import type { Item } from "../write.ts";
import { type ApiKeyRow, apiKeyRecord } from "./api-key.record.ts";

/** A key's row outlives the key, so its end is not stored in the attribute by which the table deletes items. */
export function itemOf({ expires_at, ...key }: ApiKey): Item {
  const { tenant_id, key_id, created_at } = key;
  const listing = apiKeyRecord.indexKey({ tenant_id, created_at, key_id });
  return { ...apiKeyRecord.key({ key_id }), ...listing, ...key, key_expires_at: expires_at };
}

function keyOf({ key_expires_at, ...key }: ApiKeyRow): ApiKey {
  return { ...key, ...(key_expires_at !== undefined && { expires_at: key_expires_at }) };
}

export async function readKey(rows: Rows, keyId: string): Promise<ApiKey | undefined> {
  const row = await rows.read(apiKeyRecord, { key_id: keyId });
  return row && keyOf(row);
}

export async function readKeys(rows: Rows, tenantId: string, keyIds: readonly string[]): Promise<ApiKey[]> {
  const item = await rows.wholeBatch(keyIds.map((keyId) => apiKeyRecord.key({ key_id: keyId })));
  return keyIds.flatMap((keyId) => {
    const found = item(apiKeyRecord.key({ key_id: keyId }));
    return found?.tenant_id === tenantId ? [keyOf(apiKeyRecord.parse(found))] : [];
  });
}

export function keyList(rows: Rows): ApiKeyStore["list"] {
  return async (tenantId, asked, { limit, after }) => {
    const range = apiKeyRecord.indexRange({ tenant_id: tenantId });
    const { pk, prefix = "" } = range;
    const { items, isMore } = await listed(rows, range, {
      limit,
      start:
        after === undefined
          ? undefined
          : { ...apiKeyRecord.key({ key_id: idIn(after) }), gsi1_pk: pk, gsi1_sk: prefix + after },
      isListed: (item) =>
        hasKey(item, apiKeyRecord.key({ key_id: String(item.key_id) })) && item.tenant_id === tenantId,
      filter: filterOf(asked),
    });
    const next = isMore ? String(items.at(-1)?.gsi1_sk).slice(prefix.length) : undefined;
    return { items: items.map((item) => keyOf(apiKeyRecord.parse(item))), next };
  };
}

/** Undefined for all keys. */
function filterOf({ callerId, mode, status, noEndOrBefore, now }: ApiKeyFilter) {
  const isPast = "key_expires_at <= :now";
  const ofStatus = {
    revoked: "#status = :revoked",
    expired: `(#status <> :revoked AND ${isPast})`,
    active: "(#status <> :revoked AND (attribute_not_exists(key_expires_at) OR key_expires_at > :now))",
  };
  const parts = [
    ...(callerId ? ["caller_id = :caller"] : []),
    ...(mode ? ["#mode = :mode"] : []),
    ...(status ? [ofStatus[status]] : []),
    ...(noEndOrBefore ? ["(attribute_not_exists(key_expires_at) OR created_at <= :before)"] : []),
  ];
  if (parts.length === 0) return undefined;
  const used = parts.join(" AND ");
  const only = (values: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => new RegExp(`${name}\\b`).test(used)));
  const names = only({ "#status": "status", "#mode": "mode" }) as Record<string, string>;
  return {
    FilterExpression: used,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: only({
      ":caller": callerId,
      ":mode": mode,
      ":revoked": "revoked",
      ":before": noEndOrBefore,
      ":now": new Date(now).toISOString(),
    }),
  };
}
