// API keys that need care. Nobody would notice if one of them leaked: it has no end, or nobody has used it for three months.
import type { Page, PageRequest } from "../kernel/page.ts";
import type { ApiKey, ApiKeyFilter, ApiKeyStore } from "./api-key.ts";
import type { LastUseStore } from "./last-use.ts";

const idleMs = 90 * 86_400_000;

/** Reads of one page. Whoever has many old keys in use gets fewer entries than asked for, and a cursor. */
const mostReads = 5;

/** @param usedAt its last use, in ISO 8601 @param now in milliseconds */
export function needsCare({ expires_at, created_at }: ApiKey, usedAt: string | undefined, now: number): boolean {
  return expires_at === undefined || now - Date.parse(usedAt ?? created_at) >= idleMs;
}

/** Active keys alone. Uses are not among what the store can filter by, so they are read for the keys that may be idle. */
export async function listKeysThatNeedCare(
  { apiKeys, lastUses }: { apiKeys: Pick<ApiKeyStore, "list">; lastUses: Pick<LastUseStore, "of"> },
  tenantId: string,
  filter: Omit<ApiKeyFilter, "status" | "noEndOrBefore">,
  { limit, after }: PageRequest,
): Promise<Page<ApiKey>> {
  const { now } = filter;
  const noEndOrBefore = new Date(now - idleMs).toISOString();
  const items: ApiKey[] = [];
  let next = after;
  for (let read = 0; read < mostReads; read++) {
    const page = await apiKeys.list(
      tenantId,
      { ...filter, status: "active", noEndOrBefore },
      { limit: limit - items.length, after: next },
    );
    const used = await lastUses.of(page.items.map(({ key_id }) => key_id));
    items.push(...page.items.filter((key) => needsCare(key, used.get(key.key_id), now)));
    next = page.next;
    if (next === undefined || items.length === limit) break;
  }
  return { items, next };
}
