// The services of the proxy: the domain's rules over its dependencies, made once for an instance.

import type { Grant } from "../../domain/access/grant.ts";
import { ApiKeyMatcher } from "../../domain/access/key-matcher.ts";
import { currentTokens } from "../../domain/access/sign-out.ts";
import { Admission } from "../../domain/admission.ts";
import { IdleSlices } from "../../domain/budget/idle-slices.ts";
import { Reclaim } from "../../domain/budget/reclaim.ts";
import { Settlements } from "../../domain/budget/settlement.ts";
import { SettlementWriter } from "../../domain/budget/settlement-writer.ts";
import { modelOfProfile } from "../../domain/catalog/catalog.ts";
import { RefusedFields, RefusedFlags } from "../../domain/catalog/refused-names.ts";
import { Cache, configurationTtlMs } from "../../domain/kernel/cache.ts";
import { LastUseWriter } from "../../domain/keys/last-use.ts";
import type { Tenant } from "../../domain/workspace/tenant.ts";
import type { ProxyDependencies } from "./dependencies.ts";

export type ProxyServices = ProxyDependencies & {
  /** Steps 1 to 12 of a call. */
  admission: Admission;
  /** Step 16 of a call: the usage is booked. */
  settlementWriter: SettlementWriter;
  lastUseWriter: LastUseWriter;
  /** The flags and fields that the model host refused since this instance started. Further calls go without them. */
  refused: { flags: RefusedFlags; fields: RefusedFields };
};

const size = 10_000;

export function proxyServices(deps: ProxyDependencies): ProxyServices {
  const { clock, settings } = deps;
  const tenants = new Cache<Tenant>({ size, ttlMs: configurationTtlMs, clock });
  const grants = new Cache<Grant>({ size, ttlMs: configurationTtlMs, clock });
  const facts = { clock, modelOf: (profile: string) => modelOfProfile(deps.catalog, profile) };
  const settlements = new Settlements({ ...deps, ...facts });
  const writer = new SettlementWriter(settlements, deps.unsettled, deps.log);
  const admission = new Admission({
    tenantBySlug: (slug) => tenants.through(slug, () => deps.tenants.getBySlug(slug)),
    grantOf: (tenantId, sub) => grants.through(`${tenantId}#${sub}`, () => deps.grants.get(tenantId, sub)),
    tokens: currentTokens(deps),
    keys: new ApiKeyMatcher({ keys: deps.apiKeys, compare: deps.compareApiKey, clock, secret: deps.random(32) }),
    freshGrantOf: (tenantId, sub) => deps.grants.get(tenantId, sub),
    freshGrantIn: async (keyId) => (await deps.apiKeys.get(keyId))?.grant,
    budget: {
      spending: deps.spending,
      reclaim: new Reclaim({ ...deps, ...facts }),
      idleSlices: new IdleSlices({ store: deps.idleSlices, clock }),
      waitingRoom: deps.waitingRoom,
      release: (settled) => writer.release(settled),
      giveUp: (settled) => writer.giveUp(settled),
      clock,
      pause: deps.pause,
      jitter: () => 0.5 + (deps.random(1)[0] ?? 0) / 255,
    },
    crowd: deps.crowd,
    maxCrowd: settings.maxCrowd,
    catalog: deps.catalog,
    proxyDomain: settings.proxyDomain,
    consoleUrl: settings.consoleUrl,
    scopePrefix: settings.scopePrefix,
    defaults: settings.defaultLimits,
    enforceFreeCredit: settings.enforceFreeCredit,
    trialCap: settings.trialCap,
    clock,
  });
  const lastUseWriter = new LastUseWriter({ store: deps.lastUses, clock, log: deps.log });
  return {
    ...deps,
    admission,
    settlementWriter: writer,
    lastUseWriter,
    refused: { flags: new RefusedFlags(), fields: new RefusedFields() },
  };
}
