// Admission of a proxied call: steps 1 to 12 of sixteen, which decide whether the call may go on, in the order of
// docs/specification.md.
import { type AuthenticationDependencies, authenticate } from "./access/authentication.ts";
import type { PresentedCredentials } from "./access/credential.ts";
import { accessOf, type Grant } from "./access/grant.ts";
import { admitToBudget, type BudgetDependencies } from "./budget/admit.ts";
import type { Admitted, Reserved } from "./budget/admitted.ts";
import { type Crowd, enterCrowd } from "./budget/crowd.ts";
import { LimitRefusal } from "./budget/limit-refusal.ts";
import type { AdmissionRequest } from "./budget/plan.ts";
import { microsOf } from "./budget/rate-limit.ts";
import type { Limits } from "./budget/spending.ts";
import { isCapped, workspaceCapped } from "./budget/workspace-cap.ts";
import { hasEnded, modelsFor, offeredAt, successorOf } from "./catalog/availability.ts";
import {
  type Catalog,
  everyModel,
  findModel,
  isAllowed,
  type Model,
  type ModelAccess,
  profileFor,
  profilesByRegion,
} from "./catalog/catalog.ts";
import type { Region, RegionTarget } from "./catalog/region.ts";
import { fallbackFor, requireRegion, resolveRegion, validateRegion } from "./catalog/region.ts";
import { parseUsd } from "./kernel/money.ts";
import { monthOf, nextMonth } from "./kernel/period.ts";
import { named } from "./kernel/quotation.ts";
import { Refusal } from "./kernel/refusal.ts";
import { slugOfHost } from "./workspace/slug.ts";
import type { Tenant } from "./workspace/tenant.ts";

/** The caller of a proxied call, known after steps 1 to 7. */
export type Caller = {
  tenant: Tenant;
  /** The person's sub, or the service account's `sa_...`. */
  callerId: string;
  /** Undefined for an owner without a grant, who may use the whole catalog and has no cap. */
  grant: Grant | undefined;
  /** Id of the API key, if the call came with one. */
  keyId?: string | undefined;
  /** The grant is stored in that key, as a service account's is. */
  hasOwnGrant?: boolean;
};

/** The model and region of a proxied call, known after steps 8 to 10. */
export type Target = RegionTarget & {
  model: Model;
  /** Where the call may go while its region is short. A region that the caller named has none. */
  fallback?: RegionTarget | undefined;
};

export type AdmissionDependencies = AuthenticationDependencies & {
  /** Gives a tenant that is at most 60 s old (docs/specification.md, Limits). */
  tenantBySlug: (slug: string) => Promise<Tenant | undefined>;
  /** Gives a grant that is at most 60 s old. */
  grantOf: (tenantId: string, sub: string) => Promise<Grant | undefined>;
  /** Reads the grant past every cache. */
  freshGrantOf: (tenantId: string, sub: string) => Promise<Grant | undefined>;
  /** Reads the grant of a service account's key past every cache. */
  freshGrantIn: (keyId: string) => Promise<Grant | undefined>;
  budget: BudgetDependencies;
  crowd: Crowd;
  /** The most calls that a tenant may have in flight, all callers together. */
  maxCrowd: number;
  catalog: Catalog;
  proxyDomain: string;
  /** The console's address, where workspaces and keys are administered. */
  consoleUrl: string;
  /** Limits of callers whose grant does not name its own. */
  defaults: Pick<Limits, "maxInFlight" | "rate">;
  /** What an owner may use before the first payment, in nano-USD at list price; undefined where nobody is billed. */
  trialCap?: number | undefined;
  /** Whether a tenant without a payment method can spend its free credit only. */
  enforceFreeCredit: boolean;
  clock: () => number;
};

/** The words tell nothing of either workspace, and are the same for every kind of credential. */
const otherWorkspaces =
  "The credential is not valid for this address. archway login and archway setup lead to the workspace that is active for you; " +
  "a key works at its own workspace's address.";

/** True if the request has a token and no key; a request without any credential has neither. */
function isToken(presented: () => PresentedCredentials): boolean {
  try {
    return presented().token !== undefined;
  } catch {
    return false;
  }
}

export class Admission {
  readonly #deps: AdmissionDependencies;

  constructor(deps: AdmissionDependencies) {
    this.#deps = deps;
  }

  /** The workspace that answers at an address, whatever its status. */
  async tenantAt(host: string): Promise<Tenant | undefined> {
    const slug = slugOfHost(host, this.#deps.proxyDomain);
    return slug === undefined ? undefined : this.#deps.tenantBySlug(slug);
  }

  /**
   * Steps 1 to 7.
   * @param presented reads the credentials of the request
   * @throws Refusal
   */
  async identify(host: string, presented: () => PresentedCredentials): Promise<Caller> {
    const tenant = await this.tenantAt(host); // 1, 2
    if (!tenant) throw this.#nobodyAt(host);
    if (tenant.status !== "active") throw this.#inactive(tenant); // 3
    const credential = await authenticate(this.#deps, presented).catch((error) => {
      throw this.#advised(error, tenant, presented); // 4
    });
    if (credential.tenantId !== tenant.tenant_id) throw new Refusal("tenant_mismatch", otherWorkspaces); // 5
    if (!credential.mayInvoke) throw new Refusal("scope_missing", "The credential lacks the scope proxy:invoke."); // 6
    const { callerId, ownGrant, keyId } = credential;
    const grant = ownGrant ?? (await this.#deps.grantOf(tenant.tenant_id, callerId)); // 7
    if (!grant && callerId !== tenant.owner_sub) {
      throw new Refusal("grant_missing", "You have no grant in this workspace: ask its owner for one.");
    }
    return { tenant, callerId, grant, keyId, hasOwnGrant: ownGrant !== undefined };
  }

  /** Steps 8 to 10. @param now when the call came: its price is of that time. @throws Refusal */
  resolveTarget(
    { tenant, grant }: Caller,
    modelName: string,
    regionHeader: string | undefined,
    now = this.#deps.clock(),
  ): Target {
    const known = findModel(this.#deps.catalog, modelName);
    const access = accessOf(grant);
    if (!known || !isAllowed(known, access.allowed_models)) throw this.#modelRefusal(modelName, known, access); // 8
    const model = offeredAt(known, now);
    if (!model) throw this.#notOffered(known, access);
    const allowGlobal = access.allow_global_profiles;
    const profiles = profilesByRegion(model, { allowGlobal }); // 9
    const asked = askedRegion({ tenant, grant }, regionHeader);
    const isGlobalOnly = (region: Region) => profileFor(model, region, { allowGlobal: true }) !== undefined;
    const limits = { allowedRegions: access.allowed_regions, profiles, allowGlobal, isGlobalOnly };
    const route = validateRegion(asked, limits); // 10
    const fallback = regionHeader === undefined ? grant?.fallback_region : undefined;
    return { model, ...route, fallback: fallbackFor(route.region, fallback, limits) };
  }

  /** Steps 11 and 12; a call that costs nothing has no request. @throws Refusal */
  async admit(caller: Caller, request: AdmissionRequest): Promise<Reserved>;
  async admit(caller: Caller, request: undefined): Promise<Admitted>;
  async admit(caller: Caller, request: AdmissionRequest | undefined): Promise<Admitted> {
    const { tenant, callerId, grant } = caller;
    const admittedAt = this.#deps.clock();
    const month = monthOf(admittedAt);
    const resetsAt = nextMonth(admittedAt);
    if (isCapped(tenant, month)) throw workspaceCapped(resetsAt);
    const onCredit = this.#deps.enforceFreeCredit && !tenant.has_payment_method;
    const { trialCap } = this.#deps;
    // The first tier is of those who are not known yet. Without a payment method the free credit limits, or by the stack's choice nothing.
    const isLimited = trialCap !== undefined && tenant.has_payment_method && tenant.tier === "starter";
    const context = {
      key: { tenantId: tenant.tenant_id, callerId, month },
      limits: this.#limitsOf(grant),
      freshLimits: () => this.#freshLimits(caller),
      onCredit,
      onPlatform: trialCap === undefined,
      allowance: isLimited ? { ownerSub: tenant.owner_sub, trialCap } : undefined,
      admittedAt,
      resetsAt,
    };
    const admitted = await admitToBudget(this.#deps.budget, context, request);
    return admitted.reservation ? this.#withPlace({ ...admitted, reservation: admitted.reservation }) : admitted;
  }

  /** Gives back what a call has reserved that finds its workspace full. @throws Refusal concurrency_limited */
  async #withPlace(admitted: Reserved): Promise<Reserved> {
    const { key, limits, spending } = admitted;
    try {
      return { ...admitted, place: await enterCrowd(this.#deps, key.tenantId, spending.inflight) };
    } catch (error) {
      await this.#deps.budget.release(admitted);
      if (!(error instanceof Refusal)) throw error;
      throw new LimitRefusal(error, { limits, spending, nowMicros: microsOf(this.#deps.clock()) });
    }
  }

  /** The models that the caller may use, newest first. */
  modelsOf({ grant }: Caller): Model[] {
    return modelsFor(this.#deps.catalog, accessOf(grant), this.#deps.clock());
  }

  /**
   * The models that a call of the caller with this region header would reach, newest first.
   * @throws Refusal region_not_allowed where it would reach none for its region: that of the first model that the grant names
   */
  callableModels(caller: Caller, regionHeader: string | undefined): Model[] {
    requireRegion(askedRegion(caller, regionHeader), accessOf(caller.grant).allowed_regions);
    const refusalOf = ({ id }: Model) => this.#regionRefusal(caller, id, regionHeader);
    const callable = this.modelsOf(caller).filter((model) => !refusalOf(model));
    const { allowed_models } = accessOf(caller.grant);
    const first = this.#deps.catalog.models.find((model) => isAllowed(model, allowed_models));
    const refusal = callable.length === 0 && first ? refusalOf(first) : undefined;
    if (refusal) throw refusal;
    return callable;
  }

  #regionRefusal(caller: Caller, modelName: string, regionHeader: string | undefined): Refusal | undefined {
    try {
      this.resolveTarget(caller, modelName, regionHeader);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  /** Everybody who knows the address gets this answer, so it names nobody and no id. */
  #inactive({ status }: Tenant): Refusal {
    const message =
      status === "deleted"
        ? "This workspace is deleted; its address answers no more."
        : `This workspace is suspended. Its owner finds the reason and what to do in the console, ${this.#deps.consoleUrl}.`;
    return new Refusal("tenant_suspended", message);
  }

  /** The refusal where no tenant has the address: it may be mistyped, or its workspace was renamed or deleted. */
  #nobodyAt(host: string): Refusal {
    const { proxyDomain, consoleUrl } = this.#deps;
    const where = `A workspace's address is https://<slug>.${proxyDomain}; archway setup writes yours, and the console, ${consoleUrl}, shows it.`;
    return new Refusal("tenant_unknown", `No workspace answers at ${named("address", host)}. ${where}`);
  }

  /** An invalid credential may be another platform's, so the refusal says whose address this is and where credentials come from. */
  #advised(error: unknown, { slug }: Tenant, presented: () => PresentedCredentials): unknown {
    if (!(error instanceof Refusal) || !error.code.startsWith("credential_")) return error;
    const whose = `This is the address of the workspace "${slug}"`;
    const keys = `Its keys begin with ar_live_ or ar_test_ and come from the console, ${this.#deps.consoleUrl}`;
    const cure = isToken(presented) ? "Sign in again: archway login." : `${keys}; people sign in with archway login.`;
    return new Refusal(error.code, `${error.message}. ${whose}. ${cure}`, { cause: error.cause });
  }

  /** The refusal of a model that cannot be called now: a 404, which clients do not repeat. */
  #notOffered(model: Model, access: ModelAccess): Refusal {
    const { clock } = this.#deps;
    const why = hasEnded(model, clock())
      ? `The model ${model.id} is served no longer: its last day was ${model.last_day}.`
      : `The model ${model.id} has no price here at present.`;
    return new Refusal("model_unknown", `${why} ${this.insteadOf(model.id)} ${this.#allowed(access)}`);
  }

  /** The advice for callers of a model that cannot be called any more. */
  insteadOf(modelName: string): string {
    const model = findModel(this.#deps.catalog, modelName);
    const successor = model && successorOf(this.#deps.catalog, model, this.#deps.clock());
    return successor ? `Use ${successor.id} instead.` : "Choose another one.";
  }

  #allowed(access: ModelAccess): string {
    const names = modelsFor(this.#deps.catalog, access, this.#deps.clock()).map(({ id }) => id);
    return `Allowed: ${names.join(", ") || "none"}.`;
  }

  /** For a caller who may use every model, a model that is not allowed does not exist. */
  #modelRefusal(asked: string, model: Model | undefined, access: ModelAccess): Refusal {
    const allowed = this.#allowed(access);
    if (!model && access.allowed_models.includes(everyModel)) {
      return new Refusal("model_unknown", `The ${named("model", asked)} does not exist here. ${allowed}`);
    }
    return new Refusal("model_not_allowed", `The ${named("model", asked)} is not in your grant. ${allowed}`);
  }

  /** Reads the caller's limits past every cache, as they may have been changed a moment ago. */
  async #freshLimits({ tenant, callerId, grant, keyId, hasOwnGrant }: Caller): Promise<Limits> {
    if (!grant) return this.#limitsOf(grant);
    const { freshGrantIn, freshGrantOf } = this.#deps;
    const fresh = hasOwnGrant && keyId ? freshGrantIn(keyId) : freshGrantOf(tenant.tenant_id, callerId);
    return this.#limitsOf((await fresh) ?? grant);
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
}

/** The region that a call would go to, before it is validated. */
function askedRegion({ tenant, grant }: Pick<Caller, "tenant" | "grant">, header: string | undefined): string {
  return resolveRegion({ tenantDefault: tenant.default_region, grantDefault: grant?.default_region, header });
}
