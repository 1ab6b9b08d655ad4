// The row of an API key: how it is written, read by its id, and listed by tenant.
import type { ApiKey, ApiKeyFilter, ApiKeyStore } from "../../../domain/access/api-key.ts";
import { hasKey, recordOf } from "../client.ts";
import { listed } from "../listed.ts";
import type { Rows } from "../rows.ts";
import { idIn, index, keys, placeOf } from "../schema.ts";
import type { Item } from "../write.ts";

/** A key's row outlives the key, so its end is not stored in the attribute by which the table deletes items. */
export function itemOf({ expires_at, ...key }: ApiKey): Item {
  const { tenant_id, key_id, created_at } = key;
  const listing = index.apiKey(tenant_id, placeOf(created_at, key_id));
  return { ...keys.apiKey(key_id), ...listing, ...key, key_expires_at: expires_at };
}

function keyOf(item: Item): ApiKey {
  const { key_expires_at, ...key } = recordOf<ApiKey & { key_expires_at?: string }>(item);
  return { ...key, ...(key_expires_at !== undefined && { expires_at: key_expires_at }) };
}

export async function readKey(rows: Rows, keyId: string): Promise<ApiKey | undefined> {
  const item = await rows.get(keys.apiKey(keyId));
  return item && keyOf(item);
}

export async function readKeys(rows: Rows, tenantId: string, keyIds: readonly string[]): Promise<ApiKey[]> {
  const item = await rows.wholeBatch(keyIds.map(keys.apiKey));
  return keyIds.flatMap((keyId) => {
    const found = item(keys.apiKey(keyId));
    return found?.tenant_id === tenantId ? [keyOf(found)] : [];
  });
}

export function keyList(rows: Rows): ApiKeyStore["list"] {
  return async (tenantId, asked, { limit, after }) => {
    const { gsi1_pk: pk, gsi1_sk: prefix } = index.apiKey(tenantId, "");
    const { items, isMore } = await listed(
      rows,
      { pk, prefix, by: "index" },
      {
        limit,
        start: after === undefined ? undefined : { ...keys.apiKey(idIn(after)), ...index.apiKey(tenantId, after) },
        isListed: (item) => hasKey(item, keys.apiKey(String(item.key_id))) && item.tenant_id === tenantId,
        filter: filterOf(asked),
      },
    );
    const next = isMore ? String(items.at(-1)?.gsi1_sk).slice(prefix.length) : undefined;
    return { items: items.map(keyOf), next };
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
