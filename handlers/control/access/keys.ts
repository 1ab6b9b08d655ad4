// API keys over HTTP.
import { type ApiKey, statusAt } from "../../../domain/access/api-key.ts";
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";
import { onlyCaller, requireKey } from "../../../domain/keys/key-access.ts";
import { revokeKey, updateKey } from "../../../domain/keys/key-change.ts";
import { createKey } from "../../../domain/keys/key-creation.ts";
import { rotateKey } from "../../../domain/keys/key-rotation.ts";
import { listKeysThatNeedCare } from "../../../domain/keys/last-use.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { keyRoutes } from "./keys.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  "apiKeys" | "lastUses" | "grants" | "tenants" | "catalog" | "hashApiKey" | "clock" | "newId" | "random" | "settings"
>;

export function keyOperations(deps: Dependencies): Operations<typeof keyRoutes> {
  const { apiKeys, lastUses, clock } = deps;

  const shownWithUse = async (found: ApiKey[]) => {
    const used = await lastUses.of(found.map(({ key_id }) => key_id));
    return (key: ApiKey) => ({ ...key, status: statusAt(key, clock()), last_used_at: used.get(key.key_id) });
  };

  return {
    async listKeys({ caller, query: { page, filter } }) {
      const asked = filter.caller_id;
      const own = onlyCaller(caller);
      if (own && asked && asked !== own) return { data: [] };
      const { key_id: ids, status, mode, needs_care } = filter;
      if (ids) {
        if (asked ?? status ?? mode ?? (needs_care || undefined))
          throw fieldRefusal("invalid_request", "key_id", "must come without other filters");
        const found = await apiKeys.many(caller.tenantId, ids);
        const seen = found.filter(({ caller_id }) => own === undefined || own === caller_id);
        return { data: seen.map(await shownWithUse(seen)) };
      }
      const wanted = { callerId: own ?? asked, mode, now: clock() };
      if (needs_care && status !== undefined && status !== "active") return { data: [] };
      const { items, next } = needs_care
        ? await listKeysThatNeedCare(deps, caller.tenantId, wanted, page)
        : await apiKeys.list(caller.tenantId, { ...wanted, status }, page);
      return pageAnswer({ items: items.map(await shownWithUse(items)), next });
    },

    async getKey({ caller, parameters: { key_id } }) {
      const key = await requireKey(apiKeys, caller, key_id);
      return (await shownWithUse([key]))(key);
    },

    createKey: ({ caller, body }) => createKey(deps, caller, body),

    updateKey: ({ caller, parameters: { key_id }, body, ifMatch }) => updateKey(deps, caller, key_id, body, ifMatch),

    rotateKey: ({ caller, parameters: { key_id }, body, ifMatch }) => rotateKey(deps, caller, key_id, body, ifMatch),

    async revokeKey({ caller, parameters: { key_id }, ifMatch }) {
      await revokeKey(deps, caller, key_id, ifMatch);
      return undefined;
    },
  };
}
