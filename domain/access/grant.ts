// A grant: what one caller may use, where, how fast and for how much. Its schema is the body of PUT /v1/grants/{dev_sub}.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type Catalog, everyModel, findModel, type ModelAccess } from "../catalog/catalog.ts";
import { isWithinReach, type Region, regions } from "../catalog/region.ts";
import { regionName } from "../catalog/region-name.ts";
import { parseUsd } from "../kernel/money.ts";
import type { Page, PageRequest } from "../kernel/page.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import { fields } from "../kernel/validation.ts";
import type { AuditEntry } from "../workspace/audit.ts";

const limit = (max: number) => z.int().min(1, `must be 1 to ${max}`).max(max, `must be 1 to ${max}`);

/** The highest limit that a grant may set. With more calls in flight the caller's item would be so large that the table serves only few calls a second. */
export const maxInFlight = 200;

/** Calls in flight of a caller whose grant names no limit, unless the stack says otherwise. */
export const usualInFlight = 64;

/**
 * The most calls a minute that a caller's item bears while `inFlight` calls are in flight: DynamoDB writes 1,000 units a second to an item, one for
 * each KiB of it (docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html), and a call is two writes.
 */
export function mostPerMinute(inFlight: number): number {
  const bytes = itemBytes + inFlight * reservationBytes;
  return Math.floor(1_000 / (2 * Math.ceil(bytes / 1_024))) * 60;
}

/** Measured (test/adapters/dynamodb/budget): 200 calls in flight are 23 KB. */
const [itemBytes, reservationBytes] = [512, 115];

const budget = z.number().superRefine((value, context) => {
  try {
    parseUsd(value);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

const enforcement = z
  .enum(["reserved", "spent"], { error: () => "must be reserved or spent" })
  .meta({ id: "BudgetEnforcement", description: "Which costs count against a budget" });

const rate = {
  burst: limit(10_000).describe("Number of calls that may arrive at the same moment"),
  per_minute: limit(100_000).describe("Number of calls that may arrive each minute after the burst"),
};

const rateWords = "How many calls may arrive. By default the platform's limit for all callers";

const shape = {
  allowed_models: z
    .array(z.string())
    .min(1, 'must name at least one model, or be ["*"]')
    .describe('Ids or aliases of models in the catalog; `["*"]` for all models'),
  allowed_regions: z
    .array(regionName)
    .min(1, `must name at least one of ${regions.join(", ")}`)
    .describe("Regions that calls may ask for"),
  monthly_budget_usd: budget.meta({ description: "Budget of each calendar month (UTC), in USD", minimum: 0 }),
  default_region: regionName
    .optional()
    .describe(
      "Region of calls that name no region. Must be one of `allowed_regions`. By default the workspace's default region",
    ),
  fallback_region: regionName
    .optional()
    .describe(
      "Region to which calls that name no region go for an hour, by model, when the model host has no room for them in `default_region`, which must be named. Must be another one of `allowed_regions`, and in the same geography unless `allow_global_profiles` is true. A call reserves the higher of the prices in the two regions. By default such calls are refused with 503",
    ),
  budget_enforcement: enforcement
    .default("reserved")
    .describe(
      "`reserved`: calls in flight count, each with the most that it may cost. `spent`: only finished calls count",
    ),
  allow_global_profiles: z
    .boolean()
    .default(false)
    .describe("Whether calls may run outside the geography of their region"),
  rate_limit: z
    .object(rate)
    .meta({ id: "RateLimit", description: "How many calls may arrive" })
    .optional()
    .describe(rateWords),
  max_in_flight: limit(maxInFlight)
    .optional()
    .describe("Number of calls that may run at the same time. By default the platform's limit for all callers"),
};

/** A grant as it is stored and shown. */
export const grantSchema = z.object(shape).meta({ id: "Limits", description: "Limits of a service account" });

export type Grant = z.output<typeof grantSchema>;

/** The most names of models in a grant: more than any catalog has. */
const maxModels = 100;

/** A grant in a request. Unknown fields are refused; `checkGrant` checks what depends on the stack. */
export const grantBody = fields({
  ...shape,
  allowed_models: shape.allowed_models.max(maxModels, `must name at most ${maxModels} models`).superRefine(unique),
  allowed_regions: shape.allowed_regions.superRefine(unique),
  rate_limit: fields(rate)
    .meta({ id: "RateLimitBody", description: "How many calls may arrive" })
    .optional()
    .describe(rateWords),
})
  .superRefine((grant, context) => {
    for (const field of ["default_region", "fallback_region"] as const) {
      const message = regionProblem(grant, field);
      if (message) context.addIssue({ code: "custom", path: [field], message });
    }
  })
  .meta({ id: "LimitsBody", description: "What a caller may use: models, regions, rate and budget" });

type GrantRegions = Pick<Grant, "allowed_regions" | "default_region" | "fallback_region" | "allow_global_profiles">;

function regionProblem(grant: GrantRegions, field: "default_region" | "fallback_region"): string | undefined {
  const { allowed_regions, default_region, allow_global_profiles, [field]: region } = grant;
  if (region === undefined) return undefined;
  if (!allowed_regions.includes(region)) return `must be one of allowed_regions: ${allowed_regions.join(", ")}`;
  if (field === "default_region") return undefined;
  if (default_region === undefined) return "needs default_region, the region whose calls go there";
  if (default_region === region) return "must be another region than default_region";
  if (isWithinReach(default_region, region, allow_global_profiles)) return undefined;
  return `is in another geography than default_region (${default_region}), which allow_global_profiles does not allow`;
}

function unique(names: readonly string[], context: z.RefinementCtx): void {
  const position = names.findIndex((name, index) => names.indexOf(name) < index);
  if (position < 0) return;
  context.addIssue({ code: "custom", path: [position], message: "is named twice" });
}

/**
 * Makes the first allowed region the default of a grant that names no default and does not allow the tenant's default region.
 * Otherwise every request that names no region would be refused.
 */
export function withUsableRegion(grant: Grant, tenantDefault: Region | undefined): Grant {
  const { allowed_regions, default_region } = grant;
  const [first] = allowed_regions;
  if (default_region || !first || (tenantDefault && allowed_regions.includes(tenantDefault))) return grant;
  return { ...grant, default_region: first };
}

/** The models and regions that a caller may use. An owner without a grant may use all. */
export function accessOf(grant: Grant | undefined): ModelAccess {
  return grant ?? { allowed_models: [everyModel], allowed_regions: regions, allow_global_profiles: true };
}

/** The stack that a grant has to fit. */
export type GrantBounds = { catalog: Catalog; settings: { defaultMaxInFlight: number } };

/**
 * @param field prefix of the grant's fields in the request, e.g. `grant.`; empty if the grant is the body
 * @throws Refusal invalid_request if the grant names a model that is not in the catalog, or more calls a minute than the caller's record bears.
 */
export function checkGrant(grant: Grant, { catalog, settings }: GrantBounds, field = ""): void {
  const { rate_limit, max_in_flight: inFlight = settings.defaultMaxInFlight } = grant;
  const most = mostPerMinute(inFlight);
  if (rate_limit && rate_limit.per_minute > most) {
    const message = `must be at most ${most} with ${inFlight} calls in flight (max_in_flight): the caller's record bears no more`;
    throw fieldRefusal("invalid_request", `${field}rate_limit.per_minute`, message);
  }
  checkModels(grant, catalog, field);
}

function checkModels({ allowed_models }: Grant, catalog: Catalog, field: string): void {
  const refuse = (path: string, message: string) => fieldRefusal("invalid_request", `${field}${path}`, message);
  if (allowed_models.includes(everyModel)) {
    if (allowed_models.length > 1) throw refuse("allowed_models", `"${everyModel}" must stand alone`);
    return;
  }
  const position = allowed_models.findIndex((name) => !findModel(catalog, name));
  if (position < 0) return;
  const known = catalog.models.map((model) => model.id).join(", ");
  const message = `no model "${allowed_models[position]}"; known: ${known}, or ["${everyModel}"] for all`;
  throw refuse(`allowed_models.${position}`, message);
}

/** Whether both records grant the same. Who wrote them, and when, does not matter. */
export function equals(one: GrantRecord, other: GrantRecord): boolean {
  const { updated_at, updated_by } = one;
  return isDeepStrictEqual(one, { ...other, updated_at, updated_by });
}

/** Whether a grant allows nothing that the other one does not allow. A limit of its own may be higher than the stack's, which holds without. */
export function isWithin(one: Grant, other: Grant): boolean {
  const isUpTo = (limit: number | undefined, most: number | undefined) =>
    limit === undefined || most === undefined ? limit === most : limit <= most;
  return (
    (other.allowed_models.includes(everyModel) || isSubset(one.allowed_models, other.allowed_models)) &&
    isSubset(one.allowed_regions, other.allowed_regions) &&
    one.monthly_budget_usd <= other.monthly_budget_usd &&
    (one.budget_enforcement === "reserved" || other.budget_enforcement === "spent") &&
    (other.allow_global_profiles || !one.allow_global_profiles) &&
    (one.fallback_region === undefined || one.fallback_region === other.fallback_region) &&
    isUpTo(one.rate_limit?.burst, other.rate_limit?.burst) &&
    isUpTo(one.rate_limit?.per_minute, other.rate_limit?.per_minute) &&
    isUpTo(one.max_in_flight, other.max_in_flight)
  );
}

function isSubset(some: readonly string[], all: readonly string[]): boolean {
  return some.every((one) => all.includes(one));
}

/** A person's grant in a tenant. */
export const grantRecordSchema = z.object({
  tenant_id: z.uuid().describe("Id of the workspace"),
  dev_sub: z.string().describe("`user_id` of the person who has the grant"),
  ...shape,
  updated_at: z.iso.datetime().describe("When the grant was last changed. This time is the grant's version"),
  updated_by: z.string().describe("`user_id` of the person who last changed the grant"),
});

export type GrantRecord = z.output<typeof grantRecordSchema>;

/** The grant before a change, and the audit entry that is written with the change. */
export type GrantChange = { before: GrantRecord | undefined; entry: AuditEntry };

export interface GrantStore {
  get(tenantId: string, sub: string): Promise<GrantRecord | undefined>;
  /**
   * Writes the grant if the person is a member of the tenant or is invited; returns false for anybody else.
   * `stale`: the stored grant is not the one before the change.
   */
  put(grant: GrantRecord, change: GrantChange): Promise<boolean | "stale">;
  /** Returns false if the stored grant is not the one before the change. */
  delete(tenantId: string, sub: string, change: GrantChange & { before: GrantRecord }): Promise<boolean>;
  list(tenantId: string, page: PageRequest): Promise<Page<GrantRecord>>;
}
