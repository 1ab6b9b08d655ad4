// The sixteen steps of a proxied call, as far as they decide whether it may go on (1 to 12), in the specification's order.

import type { ApiKeyMatcher } from "./access/api-key-matcher.ts";
import { invalidCredential, KeySetUnavailable, presentedCredentials, type TokenVerifier } from "./access/credential.ts";
import type { Grant } from "./access/grant.ts";
import {
  type Region,
  type RegionTarget as RegionRoute,
  regions,
  resolveRegion,
  validateRegion,
} from "./access/region.ts";
import { holdsScope } from "./access/scope.ts";
import {
  type Catalog,
  everyModel,
  findModel,
  isAllowed,
  type Model,
  type ModelAccess,
  modelsFor,
  profileFor,
  profilesByRegion,
} from "./catalog/catalog.ts";
import { parseUsd } from "./money.ts";
import { monthOf, nextMonth } from "./period.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";
import {
  type Credit,
  LimitRefusal,
  type Limits,
  limitRefusal,
  type Reservation,
  type Spending,
} from "./spending/budget.ts";
import { microsOf, tolerance } from "./spending/rate-limit.ts";
import { slugOfHost } from "./tenancy/slug.ts";
import type { Tenant } from "./tenancy/tenant.ts";

/** Whose call it is, once steps 1 to 7 have let it pass. */
export type Caller = {
  tenant: Tenant;
  /** The person's sub, or the service account's `sa_...`. */
  callerId: string;
  /** None for an owner without one: the whole catalog and no cap. */
  grant: Grant | undefined;
};

/** What is called, once steps 8 to 10 have let it pass. */
export type Target = { model: Model } & RegionRoute;

export type SpendingKey = { tenantId: string; callerId: string; month: string };

export type AdmissionWrite = {
  key: SpendingKey;
  limits: Limits;
  /** None for calls that cost nothing; they take their turn in the rate limit only. */
  reservation: Reservation | undefined;
  /** Whether the bucket is thought to be full (`idle`) or in use (`busy`); a wrong guess is refused by the store. */
  form: "idle" | "busy";
  /** `idle` also passes a bucket in use by no more than this, and takes all of it: where the two forms overlap. */
  slackMicros: number;
  nowMicros: number;
};

export type Settlement = { key: SpendingKey; reservation: Reservation; cost: number; tokens: number };

export interface SpendingStore {
  /** One conditional write. The state is that after it, or, if refused, that which refused it. */
  admit(write: AdmissionWrite): Promise<{ admitted: boolean; spending: Spending; credit: Credit | undefined }>;
  /** Turns a reservation into what was spent, credit included; each part does nothing if the reservation is gone. */
  settle(settlement: Settlement): Promise<void>;
  /** Says that the caller has a spending item in this month; repeating it changes nothing. */
  noteActiveCaller(key: SpendingKey, now: number): Promise<void>;
}

export type AdmissionDependencies = {
  /** At most 60 s old (specification, "Limits"). */
  tenantBySlug: (slug: string) => Promise<Tenant | undefined>;
  /** At most 60 s old. */
  grantOf: (tenantId: string, sub: string) => Promise<Grant | undefined>;
  tokens: TokenVerifier;
  keys: Pick<ApiKeyMatcher, "match">;
  spending: SpendingStore;
  /** Accounting a reservation whose function is gone. */
  reclaim: (key: SpendingKey, reservation: Reservation) => Promise<void>;
  /** Gives a reservation back that may or may not have been made. Never rejects. */
  release: (admitted: Pick<Admitted, "key" | "reservation">) => Promise<void>;
  catalog: Catalog;
  proxyDomain: string;
  scopePrefix: string;
  defaults: Pick<Limits, "maxInFlight" | "rate">;
  /** Whether a tenant without a payment method can spend its free credit only. */
  enforceFreeCredit: boolean;
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
};

export type Admitted = { key: SpendingKey; limits: Limits; spending: Spending; reservation: Reservation | undefined };
export type Reserved = Admitted & { reservation: Reservation };
type ToReserve = Omit<Reservation, "admittedAt" | "creditTokens">;

type Deciding = Pick<Admitted, "key" | "limits" | "reservation"> & { resetsAt: number };

type Headers = Record<string, string | undefined>;
type Credential = { tenantId: string | undefined; callerId: string; mayInvoke: boolean; ownGrant: Grant | undefined };

/** Other requests of the same caller can change the state between two tries; after these many the caller waits. */
const maxTries = 5;
const maxRemembered = 10_000;

/** Refusals that end when another call of the same caller is settled. */
const causedByOthers: RefusalCode[] = ["budget_reserved", "concurrency_limited"];
/**
 * A call is settled after its last byte, by two writes to the store. Whoever asks again at that very moment waits for them,
 * this long each time, instead of being refused for a call that has ended (docs/decisions/0007).
 */
const settlementPauses = [20, 80, 250];

export class Admission {
  readonly #deps: AdmissionDependencies;
  // The last `tat` seen of each spending item: the guess of the next write's form. Also tells which are registered.
  readonly #seen = new Map<string, number>();

  constructor(dependencies: AdmissionDependencies) {
    this.#deps = dependencies;
  }

  /** Steps 1 to 7. @throws Refusal */
  async identify(host: string, headers: Headers): Promise<Caller> {
    const slug = slugOfHost(host, this.#deps.proxyDomain); // 1
    const tenant = slug && (await this.#deps.tenantBySlug(slug)); // 2
    if (!tenant) throw new Refusal("not_found", "No workspace answers at this address.");
    if (tenant.status !== "active") throw new Refusal("tenant_suspended", "This workspace is not active."); // 3
    const credential = await this.#authenticate(headers); // 4
    if (credential.tenantId !== tenant.tenant_id) {
      throw new Refusal("tenant_mismatch", "The credential is not valid for this address."); // 5
    }
    if (!credential.mayInvoke) throw new Refusal("scope_missing", "The credential lacks the scope proxy:invoke."); // 6
    const { callerId, ownGrant } = credential;
    const grant = ownGrant ?? (await this.#deps.grantOf(tenant.tenant_id, callerId)); // 7
    if (!grant && callerId !== tenant.owner_sub) {
      throw new Refusal("grant_missing", "You have no grant in this workspace: ask its owner for one.");
    }
    return { tenant, callerId, grant };
  }

  /** Steps 8 to 10. @throws Refusal */
  resolveTarget({ tenant, grant }: Caller, modelName: string, regionHeader: string | undefined): Target {
    const model = findModel(this.#deps.catalog, modelName);
    const access = accessOf(grant);
    if (!model || !isAllowed(model, access.allowed_models)) throw this.#modelRefusal(access); // 8
    const profiles = profilesByRegion(model, { allowGlobal: access.allow_global_profiles }); // 9
    const asked = resolveRegion({
      tenantDefault: tenant.default_region,
      grantDefault: grant?.default_region,
      header: regionHeader,
    });
    const isGlobalOnly = (region: Region) => profileFor(model, region, { allowGlobal: true }) !== undefined;
    return { model, ...validateRegion(asked, { allowedRegions: access.allowed_regions, profiles, isGlobalOnly }) }; // 10
  }

  /** Steps 11 and 12 in one conditional write; a refusal consumes nothing. @throws Refusal */
  async admit(caller: Caller, reserve: ToReserve): Promise<Reserved>;
  async admit(caller: Caller, reserve: undefined): Promise<Admitted>;
  async admit({ tenant, callerId, grant }: Caller, reserve: ToReserve | undefined): Promise<Admitted> {
    const admittedAt = this.#deps.clock();
    const key = { tenantId: tenant.tenant_id, callerId, month: monthOf(admittedAt) };
    const limits = this.#limitsOf(grant);
    const onCredit = this.#deps.enforceFreeCredit && !tenant.has_payment_method;
    const reservation = reserve && {
      ...reserve,
      admittedAt,
      ...(onCredit && { creditTokens: reserve.bounds.input + reserve.bounds.output }),
    };
    await this.#noteActiveCaller(key);
    const asked = { key, limits, reservation, resetsAt: nextMonth(admittedAt) };
    let decision = await this.#decide(asked);
    for (const milliseconds of settlementPauses) {
      if (!(decision instanceof Refusal) || !causedByOthers.includes(decision.code)) break;
      await this.#deps.pause(milliseconds);
      decision = await this.#decide(asked);
    }
    if (decision instanceof Refusal) throw decision;
    return decision;
  }

  /** The models that the caller may use, newest first. */
  modelsOf({ grant }: Caller): Model[] {
    return modelsFor(this.#deps.catalog, accessOf(grant));
  }

  /** A token decides if there is one; the key counts without one, or when no token can be judged. */
  async #authenticate(headers: Headers): Promise<Credential> {
    const { key, token } = presentedCredentials(headers);
    if (token) {
      try {
        return await this.#byToken(token);
      } catch (error) {
        if (!(error instanceof KeySetUnavailable)) throw error;
        if (!key) throw invalidCredential(error);
      }
    }
    if (!key) throw invalidCredential();
    const { tenant_id, caller_id, scope, grant } = await this.#deps.keys.match(key);
    return { tenantId: tenant_id, callerId: caller_id, mayInvoke: scope === "proxy:invoke", ownGrant: grant };
  }

  async #byToken(token: string): Promise<Credential> {
    const claims = await this.#deps.tokens.verify(token);
    const mayInvoke = holdsScope(claims.scope, "proxy:invoke", this.#deps.scopePrefix);
    return { tenantId: claims.tenant_id, callerId: claims.sub, mayInvoke, ownGrant: undefined };
  }

  #modelRefusal(access: ModelAccess): Refusal {
    const names = modelsFor(this.#deps.catalog, access).map(({ id }) => id);
    return new Refusal("model_not_allowed", `The model is not allowed. Allowed: ${names.join(", ") || "none"}.`);
  }

  #limitsOf(grant: Grant | undefined): Limits {
    const { defaults } = this.#deps;
    const rate = grant?.rate_limit;
    return {
      cap: grant && parseUsd(grant.monthly_budget_usd),
      enforcement: grant?.budget_enforcement ?? "reserved",
      maxInFlight: grant?.max_in_flight ?? defaults.maxInFlight,
      rate: rate ? { burst: rate.burst, perMinute: rate.per_minute } : defaults.rate,
    };
  }

  async #decide({ key, limits, reservation, resetsAt }: Deciding): Promise<Admitted | Refusal> {
    const begunAt = this.#deps.clock();
    let state: ConstructorParameters<typeof LimitRefusal>[1] | undefined;
    for (let tries = 0; tries < maxTries; tries++) {
      const nowMicros = microsOf(this.#deps.clock());
      const form = (this.#seen.get(nameOf(key)) ?? 0) > nowMicros ? "busy" : "idle";
      // With a refill faster than the store, others can turn each guess wrong; the longer it takes, the wider the overlap.
      const slackMicros = Math.min(tolerance(limits.rate), tries * (nowMicros - microsOf(begunAt)));
      const write = { key, limits, reservation, form, slackMicros, nowMicros } as const;
      const { admitted, spending, credit } = await this.#write(write);
      this.#remember(key, spending.tat);
      if (admitted) {
        // What cannot be reclaimed now is the meter's: this call is admitted.
        await this.#reclaimExpired(key, spending).catch(() => {});
        return { key, limits, spending, reservation };
      }
      if (await this.#reclaimExpired(key, spending)) continue;
      // Others may have gone on while the store took its time: what is true now decides.
      const judgedAt = microsOf(this.#deps.clock());
      const refusal = limitRefusal(spending, limits, {
        reservedCost: reservation?.reservedCost,
        nowMicros: judgedAt,
        resetsAt,
        credit: credit && { state: credit, tokens: reservation?.creditTokens ?? 0 },
      });
      state = { limits, spending, nowMicros: judgedAt };
      if (refusal) return refusal.type === "rate_limit_error" ? new LimitRefusal(refusal, state) : refusal;
    }
    const crowded = new Refusal("rate_limited", "Too many requests of this caller at the same time.", {
      retryAfterSeconds: 1,
    });
    return state ? new LimitRefusal(crowded, state) : crowded;
  }

  /** A write without an answer may have had its effect; nobody would ever settle its reservation. */
  async #write(write: AdmissionWrite) {
    try {
      return await this.#deps.spending.admit(write);
    } catch (error) {
      if (write.reservation) await this.#deps.release({ key: write.key, reservation: write.reservation });
      throw error;
    }
  }

  /** Before a caller's first admission of the month, so that a reservation is found even if the caller never comes back. */
  async #noteActiveCaller(key: SpendingKey): Promise<void> {
    if (this.#seen.has(nameOf(key))) return;
    await this.#deps.spending.noteActiveCaller(key, this.#deps.clock());
    this.#remember(key, 0);
  }

  /** `tat` only grows, and answers can overtake each other. */
  #remember(key: SpendingKey, tat: number): void {
    const name = nameOf(key);
    const latest = Math.max(tat, this.#seen.get(name) ?? 0);
    this.#seen.delete(name);
    this.#seen.set(name, latest);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > maxRemembered && oldest !== undefined) this.#seen.delete(oldest);
  }

  /** True if there was something to reclaim: the state is another then. */
  async #reclaimExpired(key: SpendingKey, { reservations }: Spending): Promise<boolean> {
    const now = this.#deps.clock();
    const expired = reservations.filter(({ expiresAt }) => expiresAt <= now);
    for (const reservation of expired) await this.#deps.reclaim(key, reservation);
    return expired.length > 0;
  }
}

function nameOf({ tenantId, callerId, month }: SpendingKey): string {
  return `${tenantId}#${callerId}#${month}`;
}

/** An owner without a grant has everything. */
function accessOf(grant: Grant | undefined): ModelAccess {
  return grant ?? { allowed_models: [everyModel], allowed_regions: regions, allow_global_profiles: true };
}
