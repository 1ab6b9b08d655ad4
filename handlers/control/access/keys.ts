// API keys over HTTP.
import { onlyCaller } from "../../../domain/access/key-access.ts";
import { revokeKey, updateKey } from "../../../domain/access/key-change.ts";
import { createKey } from "../../../domain/access/key-creation.ts";
import { rotateKey } from "../../../domain/access/key-rotation.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { keyRoutes } from "./keys.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  "apiKeys" | "lastUses" | "grants" | "tenants" | "catalog" | "hashApiKey" | "clock" | "newId" | "random" | "settings"
>;

export function keyOperations(deps: Dependencies): Operations<typeof keyRoutes> {
  const { apiKeys, lastUses } = deps;

  return {
    async listKeys({ caller, query: { page, filter } }) {
      const asked = filter.caller_id;
      const own = onlyCaller(caller);
      if (own && asked && asked !== own) return { data: [] };
      const { items, next } = await apiKeys.list(caller.tenantId, own ?? asked, page);
      const used = await lastUses.of(items.map(({ key_id }) => key_id));
      const withUse = items.map((key) => ({ ...key, last_used_at: used.get(key.key_id) }));
      return pageAnswer({ items: withUse, next });
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
