// Regions: where a model runs. A request's region is chosen once, then allowed or refused. No other takes its place, but for the fallback that a
// grant allows (docs/decisions/0109-when-a-region-is-short.md).
import { named } from "../kernel/quotation.ts";
import { Refusal } from "../kernel/refusal.ts";

export const regions = ["eu-central-1", "eu-central-2", "us-east-1"] as const;

export type Region = (typeof regions)[number];

export function isRegion(text: string): text is Region {
  return (regions as readonly string[]).includes(text);
}

/** `eu` of `eu-central-1`. */
export function geographyOf(region: string): string {
  return region.slice(0, region.indexOf("-"));
}

/** A region together with the inference profile that serves the model there. */
export type RegionTarget = { region: Region; profileId: string };

/** The grant's regions, and the model's profile in each region that has one (catalog: `profilesByRegion`). */
type RegionLimits = { allowedRegions: readonly Region[]; profiles: Readonly<Partial<Record<Region, string>>> };

/**
 * The region that a request asks for: the header beats the grant's default, which beats the tenant's. An empty header
 * asks for a region without naming one, so it is kept and refused by `validateRegion`.
 */
export function resolveRegion(wishes: {
  tenantDefault: Region;
  grantDefault?: Region | undefined;
  header?: string | undefined;
}): string {
  return wishes.header ?? wishes.grantDefault ?? wishes.tenantDefault;
}

/**
 * The route to the region asked for, if the grant allows it and the model is there.
 * @param limits.isGlobalOnly whether a global profile would serve the model in a region, which the grant does not allow.
 * @throws Refusal `region_not_allowed`, whose message names the regions that would have been allowed.
 */
export function validateRegion(
  asked: string,
  limits: RegionLimits & { isGlobalOnly?: (region: Region) => boolean },
): RegionTarget {
  const { allowedRegions, profiles, isGlobalOnly } = limits;
  const profileId = isRegion(asked) ? profiles[asked] : undefined;
  if (isRegion(asked) && allowedRegions.includes(asked) && profileId !== undefined) return { region: asked, profileId };

  const allowed = regions.filter((region) => allowedRegions.includes(region) && profiles[region] !== undefined);
  throw new Refusal("region_not_allowed", `${problem()} Allowed for this model and caller: ${listed(allowed)}.`);

  function problem(): string {
    if (!isRegion(asked) || !allowedRegions.includes(asked)) return outsideOf(asked);
    if (isGlobalOnly?.(asked)) {
      return `The model is served in ${asked} by a global profile only, which the grant does not allow.`;
    }
    return `The model is not available in ${asked}.`;
  }
}

/**
 * The route to the region where calls may go while theirs is short: the grant's, if the grant still allows the region, the model is there, and the
 * call stays in its geography or may leave it.
 */
export function fallbackFor(
  region: Region,
  fallback: Region | undefined,
  { allowedRegions, profiles, allowGlobal }: RegionLimits & { allowGlobal: boolean },
): RegionTarget | undefined {
  const profileId = fallback && profiles[fallback];
  if (!profileId || fallback === region || !allowedRegions.includes(fallback)) return undefined;
  return isWithinReach(region, fallback, allowGlobal) ? { region: fallback, profileId } : undefined;
}

/** Whether calls of a region may go to the other one: those of a grant without `allow_global_profiles` stay in their geography. */
export function isWithinReach(region: Region, other: Region, allowGlobal: boolean): boolean {
  return allowGlobal || geographyOf(region) === geographyOf(other);
}

/** @throws Refusal `region_not_allowed` for a region in which the caller reaches no model at all */
export function requireRegion(asked: string, allowedRegions: readonly Region[]): void {
  if (isRegion(asked) && allowedRegions.includes(asked)) return;
  throw new Refusal("region_not_allowed", `${outsideOf(asked)} Allowed for this caller: ${listed(allowedRegions)}.`);
}

function outsideOf(asked: string): string {
  return isRegion(asked)
    ? `The region ${asked} is not in the grant.`
    : `The ${named("region", asked)} does not exist here.`;
}

function listed(names: readonly string[]): string {
  return names.length > 0 ? names.join(", ") : "none";
}
