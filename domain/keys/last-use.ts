// The last use of API keys. The proxy writes it after its answer, at most once a minute for each key and instance. By it the keys are found
// that need care: nobody would notice if one of them leaked, because it has no end, or nobody has used it for three months.

import type { ApiKey, ApiKeyFilter, ApiKeyStore } from "../access/api-key.ts";
import { Cache } from "../kernel/cache.ts";
import type { Log } from "../kernel/log.ts";
import type { Page, PageRequest } from "../kernel/page.ts";

export interface LastUseStore {
  /** Writes the time of a use unless a later use is stored. @param now in milliseconds */
  put(keyId: string, now: number): Promise<void>;
  /** Times of last use in ISO 8601 by key id, without keys that were never used. @param keyIds each once */
  of(keyIds: readonly string[]): Promise<Map<string, string>>;
}

/** When one of the keys was used last; undefined if none was. @param used as the store gives it */
export function latestUse(used: ReadonlyMap<string, string>, keyIds: readonly string[]): string | undefined {
  return keyIds
    .flatMap((keyId) => used.get(keyId) ?? [])
    .toSorted()
    .at(-1);
}

const pauseMs = 60_000;
const size = 1_000;

type LastUseDependencies = { store: Pick<LastUseStore, "put">; clock: () => number; log: Log };

export class LastUseWriter {
  readonly #deps: LastUseDependencies;
  readonly #noted: Cache<true>;

  constructor(deps: LastUseDependencies) {
    this.#deps = deps;
    this.#noted = new Cache({ size, ttlMs: pauseMs, clock: deps.clock });
  }

  /** Never rejects: a failure is logged, and the next use after a minute writes again. */
  async note(keyId: string): Promise<void> {
    if (this.#noted.get(keyId)) return;
    this.#noted.set(keyId, true);
    const { store, clock, log } = this.#deps;
    await store.put(keyId, clock()).catch((error) => log.problem("last_use_not_noted", { key_id: keyId }, error));
  }
}

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
