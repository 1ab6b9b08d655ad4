// Puts the proxy together: the rules of the domain over the stores and services that lambda.ts brings.
import { setTimeout as sleep } from "node:timers/promises";
import { ApiKeyMatcher } from "../../domain/access/api-key-matcher.ts";
import type { KeyStore, TokenVerifier } from "../../domain/access/credential.ts";
import type { Grant, GrantStore } from "../../domain/access/grant.ts";
import { Admission, type SpendingStore } from "../../domain/admission.ts";
import { Cache } from "../../domain/cache.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Log } from "../../domain/log.ts";
import type { ModelHost } from "../../domain/messages/model-host.ts";
import { type LedgerStore, Settlements } from "../../domain/spending/settlement.ts";
import { SettlementWriter } from "../../domain/spending/unsettled.ts";
import type { Telemetry } from "../../domain/telemetry.ts";
import type { Tenant, TenantStore } from "../../domain/tenancy/tenant.ts";
import type { Env } from "../contract.ts";
import type { proxy } from "./contract.ts";
import type { ProxyDependencies } from "./dependencies.ts";
import type { Schedule } from "./silence.ts";

export type ProxyOutside = {
  tokens: TokenVerifier;
  tenants: Pick<TenantStore, "getBySlug">;
  grants: Pick<GrantStore, "get">;
  keys: KeyStore;
  compareApiKey: (key: string, hash: string) => Promise<boolean>;
  spending: SpendingStore;
  ledger: LedgerStore;
  modelHost: ModelHost;
  catalog: Catalog;
  telemetry: Telemetry;
  log: Log;
  clock: () => number;
  random: (size: number) => Uint8Array;
  /** The machine's timers unless a test brings its own. */
  schedule?: Schedule;
  pause?: (milliseconds: number) => Promise<void>;
};

/** Specification, "Proxy authentication invariants": configuration is never older than this. */
const ttlMs = 60_000;
const size = 10_000;

export function assembleProxy(env: Env<typeof proxy>, outside: ProxyOutside): ProxyDependencies {
  const { clock, log, modelHost, spending, telemetry } = outside;
  const tenants = new Cache<Tenant>({ size, ttlMs, clock });
  const grants = new Cache<Grant>({ size, ttlMs, clock });
  const settlements = new Settlements({ ledger: outside.ledger, spending, clock });
  const writer = new SettlementWriter(settlements, log);
  const admission = new Admission({
    tenantBySlug: (slug) => tenants.through(slug, () => outside.tenants.getBySlug(slug)),
    grantOf: (tenantId, sub) => grants.through(`${tenantId}#${sub}`, () => outside.grants.get(tenantId, sub)),
    tokens: outside.tokens,
    keys: new ApiKeyMatcher({ keys: outside.keys, compare: outside.compareApiKey, clock, secret: outside.random(32) }),
    spending,
    reclaim: (key, reservation) => settlements.reclaim(key, reservation),
    release: (admitted) => writer.release(admitted),
    catalog: outside.catalog,
    proxyDomain: env.PROXY_DOMAIN,
    scopePrefix: env.SCOPE_PREFIX,
    defaults: {
      maxInFlight: env.DEFAULT_MAX_IN_FLIGHT,
      rate: { burst: env.DEFAULT_BURST, perMinute: env.DEFAULT_PER_MINUTE },
    },
    enforceFreeCredit: env.ENFORCE_FREE_CREDIT,
    clock,
    pause: outside.pause ?? sleep,
  });
  return {
    admission,
    modelHost,
    settlements: writer,
    telemetry,
    log,
    originSecretHashes: env.ORIGIN_SECRET_HASHES,
    vendorSegments: env.VENDOR_SEGMENTS,
    names: { sessionHeaders: env.SESSION_HEADERS, regionHeaders: env.REGION_HEADERS },
    clock,
    schedule: outside.schedule ?? timer,
  };
}

function timer(milliseconds: number, act: () => void): () => void {
  const started = setTimeout(act, milliseconds);
  return () => clearTimeout(started);
}
