// Availability of the models of the catalog: a model can be called if it has a price, and until its last day at the model host is over.
import { dayMs } from "../kernel/period.ts";
import { availableRegions, type Catalog, findModel, isAllowed, type Model, type ModelAccess } from "./catalog.ts";
import { priceAt } from "./price.ts";

/**
 * The model with those of its profiles that have a price at the time. Undefined if none has, or after the model's last day.
 * @param now in milliseconds
 */
export function offeredAt(model: Model, now: number): Model | undefined {
  if (hasEnded(model, now)) return undefined;
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

/** Whether the model's last day at the model host is over. @param now in milliseconds */
export function hasEnded({ last_day }: Pick<Model, "last_day">, now: number): boolean {
  return last_day !== undefined && Date.parse(last_day) + dayMs <= now;
}

/**
 * The model to use instead of one that ends: the one that the catalog names, or else the newest of the family, if it can be called and is
 * newer. @param now in milliseconds
 */
export function successorOf(catalog: Catalog, model: Model, now: number): Model | undefined {
  const named = model.successor === undefined ? undefined : findModel(catalog, model.successor);
  if (named && offeredAt(named, now)) return named;
  return catalog.models
    .filter((other) => familyOf(other.id) === familyOf(model.id))
    .filter((other) => Date.parse(other.created_at) > Date.parse(model.created_at) && offeredAt(other, now))
    .reduce<Model | undefined>((newest, other) => (newest && isNewer(newest, other) ? newest : other), undefined);
}

/** `claude-opus` of `claude-opus-4-5`. */
export function familyOf(id: string): string {
  return id.replace(/(-\d+)+$/, "");
}

function isNewer(one: Model, other: Model): boolean {
  return Date.parse(one.created_at) >= Date.parse(other.created_at);
}

/** The end of a model for people, in the catalog's names; empty for a model of which no end is known. @param now in milliseconds */
export function endingOf(catalog: Catalog, model: Model, now: number) {
  const { last_day, vendor_last_day } = model;
  if (last_day === undefined && vendor_last_day === undefined) return {};
  const successor = successorOf(catalog, model, now)?.id;
  return {
    ...(last_day !== undefined && { last_day }),
    ...(vendor_last_day !== undefined && { vendor_last_day }),
    ...(successor !== undefined && { successor }),
  };
}
