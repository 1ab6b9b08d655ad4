// Compares the catalog's models, profiles and last days with those that the model host lists in a region.
import { dayMs } from "../kernel/period.ts";
import { offeredAt } from "./availability.ts";
import type { Catalog, Model } from "./catalog.ts";
import { distinct, type Finding } from "./finding.ts";
import type { HostListing, ListedModel, ListedPrice } from "./host-listing.ts";
import { modelLines } from "./model-lines.ts";

/** An end that is nearer than this is told. */
const noticeDays = 90;

/** The models that the host lists and the catalog lacks, without those that the host advises against. */
export function newModels(catalog: Catalog, listings: readonly HostListing[]): ListedModel[] {
  const known = new Set(catalog.models.map(({ base_id }) => base_id));
  const listed = listings
    .flatMap(({ models }) => models)
    .filter(({ baseId, isLegacy }) => !known.has(baseId) && !isLegacy);
  return [...new Map(listed.map((model) => [model.baseId, model])).values()];
}

/** A new model, with the lines by which the catalog knows it. Its price is what is listed, and nothing else. */
export function newModelFinding(
  model: ListedModel,
  listings: readonly HostListing[],
  prices: readonly ListedPrice[],
): Finding {
  const { baseId, name } = model;
  const regions = listings.filter(({ models }) => models.some((other) => other.baseId === baseId));
  return {
    key: `new model ${baseId}`,
    isAlarm: false,
    says: `The model host has ${name} (${baseId}) in ${regions.map(({ region }) => region).join(", ")}, and the catalog does not.`,
    lines: modelLines(model, regions, prices),
  };
}

/** @param now in milliseconds */
export function compareModels(catalog: Catalog, listing: HostListing, now: number): Finding[] {
  const { region, models, profiles } = listing;
  // An empty list is a mistake of whoever wrote it, and no reason to take every model for gone.
  if (models.length === 0 || profiles.length === 0) {
    return [
      {
        key: `empty list ${region}`,
        isAlarm: true,
        says: `The model host lists no models or no profiles in ${region}.`,
      },
    ];
  }
  return distinct(
    catalog.models.flatMap((model) => [
      ...profileFindings(model, listing, now),
      ...endFindings(
        model,
        models.find(({ baseId }) => baseId === model.base_id),
        now,
      ),
    ]),
  );
}

function profileFindings(model: Model, { region, models, profiles }: HostListing, now: number): Finding[] {
  const { region: own, ...routing } = model.profiles[region] ?? {};
  const offered = offeredAt(model, now)?.profiles[region] ?? {};
  const isListed = (id: string) =>
    id === own ? models.some(({ baseId }) => baseId === id) : profiles.some((profile) => profile.id === id);
  const gone = Object.values(offered).filter((id) => !isListed(id));
  const added = profiles.filter(({ id, baseId }) => baseId === model.base_id && !Object.values(routing).includes(id));
  return [
    ...gone.map((id) => ({
      key: `gone ${id} ${region}`,
      isAlarm: true,
      says: `The model host does not list ${id} in ${region}, and the catalog offers ${model.id} by it.`,
    })),
    ...added.map(({ id, reach }) => ({
      key: `new profile ${id} ${region}`,
      isAlarm: false,
      says: `The model host has the profile ${id} in ${region}, and the catalog's ${model.id} does not.`,
      lines: `${region}: ${JSON.stringify({ ...model.profiles[region], [reach]: id })}`,
    })),
  ];
}

/** A day that the catalog does not name is told in time. One that it names wrongly is an alarm: callers are refused after it, or read of it. */
function endFindings(model: Model, listed: ListedModel | undefined, now: number): Finding[] {
  if (!listed || listed.lastDay === model.last_day) return [];
  const { lastDay, isLegacy } = listed;
  if (model.last_day !== undefined) {
    const says = lastDay === undefined ? "names no end" : `serves it until ${lastDay}`;
    return [
      {
        key: `other end ${model.id} ${lastDay ?? ""}`,
        isAlarm: true,
        says: `The catalog ends ${model.id} on ${model.last_day}, and the model host ${says}.`,
        lines: lastDay === undefined ? "" : lastDayLine(lastDay),
      },
    ];
  }
  if (lastDay === undefined || (!isLegacy && Date.parse(lastDay) - now > noticeDays * dayMs)) return [];
  const isPast = Date.parse(lastDay) + dayMs <= now;
  return [
    {
      key: `end ${model.id} ${lastDay}`,
      isAlarm: isPast,
      says: `The model host ${isPast ? "served" : "serves"} ${model.id} until ${lastDay}, and the catalog names no end.`,
      lines: lastDayLine(lastDay),
    },
  ];
}

function lastDayLine(day: string): string {
  return `hostLastDay: "${day}",`;
}
