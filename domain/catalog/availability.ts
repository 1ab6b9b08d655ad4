// Which models of the catalog can be called at a time: those with a price.
import { availableRegions, type Catalog, isAllowed, type Model, type ModelAccess } from "./catalog.ts";
import { priceAt } from "./price.ts";

/** The model with those of its profiles that have a price at the time. Undefined if none has. @param now in milliseconds */
export function offeredAt(model: Model, now: number): Model | undefined {
  const at = new Date(now).toISOString();
  const inRegions = Object.entries(model.profiles).map(([region, profiles]) => {
    const priced = Object.entries(profiles).filter(([, id]) => priceAt(model, id, at) !== undefined);
    return [region, Object.fromEntries(priced)] as const;
  });
  const profiles = Object.fromEntries(inRegions.filter(([, some]) => Object.keys(some).length > 0));
  return Object.keys(profiles).length > 0 ? { ...model, profiles } : undefined;
}

/** The models that a caller may call now in at least one of the regions allowed, newest first. @param now in milliseconds */
export function modelsFor(catalog: Catalog, access: ModelAccess, now: number): Model[] {
  const options = { allowGlobal: access.allow_global_profiles };
  const isReachable = (model: Model) =>
    availableRegions(model, options).some((region) => access.allowed_regions.includes(region));
  return catalog.models
    .filter((model) => isAllowed(model, access.allowed_models))
    .flatMap((model) => offeredAt(model, now) ?? [])
    .filter(isReachable)
    .toSorted(
      (one, other) => Date.parse(other.created_at) - Date.parse(one.created_at) || (one.id < other.id ? -1 : 1),
    );
}
