// What a form of a grant's fields says, for the API.
import type { Answer, CallInput } from "../app/api.ts";

export type GrantBody = CallInput<"PUT /v1/grants/{dev_sub}">["body"];
export type Grant = Answer<"GET /v1/grants/{dev_sub}">;

/** What a grant and a service account's limits have in common. */
export type GrantLimits = NonNullable<Answer<"GET /v1/keys/{key_id}">["grant"]>;

/**
 * The grant that a form with these fields says. The API judges it.
 * @param of the grant from which the form began: what it has beside these fields stays
 */
export function readGrant(form: FormData, of?: GrantLimits): GrantBody {
  const models = form.getAll("models").map(String);
  const regions = form.getAll("regions").map(String) as GrantBody["allowed_regions"];
  return {
    ...(of && unshown(of, regions)),
    allowed_models: models.includes("*") ? ["*"] : models,
    allowed_regions: regions,
    monthly_budget_usd: Number(form.get("monthly_budget_usd")),
    ...fallback(form, regions),
  };
}

/** The second region, with the region whose calls go there. */
function fallback(form: FormData, regions: GrantBody["allowed_regions"]): Partial<GrantBody> {
  const named = (field: string) => regions.find((region) => region === form.get(field));
  const [fallback_region, default_region] = [named("fallback_region"), named("default_region")];
  return fallback_region && default_region ? { default_region, fallback_region } : {};
}

/** The regions where calls of the usual one may go: those of its geography, unless the grant allows calls to leave it. */
export function fallbackRegions(
  regions: readonly string[],
  usual: string | undefined,
  of: Pick<GrantLimits, "allow_global_profiles"> | undefined,
): string[] {
  const geography = (region: string) => region.split("-")[0];
  const isWithinReach = (region: string) =>
    of?.allow_global_profiles || (usual !== undefined && geography(region) === geography(usual));
  return regions.filter((region) => region !== usual && isWithinReach(region));
}

/**
 * The region of calls that name none, under the grant that the form says: the grant's own, else the workspace's, else the first allowed.
 * @param regions in the form's order; undefined if it allows none
 */
export function usualRegion(regions: readonly string[], ...wishes: (string | undefined)[]): string | undefined {
  return [...wishes, ...regions].find((region) => region !== undefined && regions.includes(region));
}

/** The fields of a grant that the form does not show, so that saving keeps them. A region of the grant's own stays while it is allowed. */
function unshown(of: GrantLimits, regions: readonly string[]): Partial<GrantBody> {
  const { budget_enforcement, allow_global_profiles, rate_limit, max_in_flight, default_region } = of;
  return {
    budget_enforcement,
    allow_global_profiles,
    ...(rate_limit && { rate_limit }),
    ...(max_in_flight && { max_in_flight }),
    ...(default_region && regions.includes(default_region) && { default_region }),
  };
}
