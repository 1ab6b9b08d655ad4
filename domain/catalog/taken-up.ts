// Models that the survey took up by itself: of a family that the stack names, that the account may call, and whose every price is listed. Each
// is as the newest of its family in the catalog, but for its names, its profiles, its prices and its end. A model that the catalog names
// is the catalog's alone.
import * as z from "zod";
import { dayMs } from "../kernel/period.ts";
import { familyOf } from "./availability.ts";
import {
  type Catalog,
  findModel,
  isStackAlias,
  type Model,
  modelName,
  namedCatalog,
  parseCatalog,
  profilesSchema,
} from "./catalog.ts";
import type { HostListing, ListedModel, ListedPrice } from "./host-listing.ts";
import { completeRates, listedKinds } from "./listed-rates.ts";
import { profilesOf } from "./model-lines.ts";
import { regions } from "./region.ts";

const takenPrice = z.object({
  reach: z.enum(["global", "regional"]),
  /** The first day (UTC) of the price. A price that holds is never changed: another one follows it. */
  from: z.iso.date(),
  /** Decimal USD in the order of `listedKinds`. */
  usd: z.array(z.string()).length(listedKinds.length),
});

export const takenModelSchema = z.object({
  id: modelName,
  base_id: modelName,
  display_name: z.string().min(1),
  taken_on: z.iso.date(),
  last_day: z.iso.date().optional(),
  profiles: z.partialRecord(z.enum(regions), profilesSchema),
  prices: z.array(takenPrice).min(1),
});

export type TakenModel = z.output<typeof takenModelSchema>;
type TakenPrice = TakenModel["prices"][number];

/** The catalog with the models that were taken up. A stack's alias that is the name of one leads to that one. */
export function withTakenUp(catalog: Catalog, taken: readonly TakenModel[]): Catalog {
  const added = taken.flatMap((model) => asModel(catalog, model) ?? []);
  const names = new Set(added.map(({ id }) => id));
  const others = catalog.models.map((model) => ({
    ...model,
    ...(model.stack_aliases && { stack_aliases: model.stack_aliases.filter((alias) => !names.has(alias)) }),
  }));
  return added.length === 0 ? catalog : namedCatalog([...added, ...others]);
}

/** Undefined for a model that the catalog names already, and for one without a family there. */
function asModel(catalog: Catalog, { prices, taken_on, ...taken }: TakenModel): Model | undefined {
  const { id } = taken;
  const owner = findModel(catalog, id) ?? findModel(catalog, taken.base_id);
  const like = newestOf(catalog, familyOf(id));
  if ((owner && !isStackAlias(owner, id)) || !like) return undefined;
  const { max_input_tokens, max_output_tokens, capabilities } = like;
  const ofReach = { global: idsOf(taken, "anywhere"), regional: idsOf(taken, "geography") };
  const [model] = parseCatalog({
    models: [
      {
        ...{ aliases: [], created_at: `${taken_on}T00:00:00Z`, max_input_tokens, max_output_tokens, capabilities },
        ...taken,
        prices: prices
          .filter(({ reach }) => ofReach[reach].length > 0)
          .map(({ reach, from, usd }) => ({ profiles: ofReach[reach], from, tiers: [tierOf(usd)] })),
      },
    ],
  }).models;
  return model;
}

function newestOf({ models }: Catalog, family: string): Model | undefined {
  return models
    .filter(({ id }) => familyOf(id) === family)
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at))[0];
}

function idsOf({ profiles }: Pick<TakenModel, "profiles">, reach: "anywhere" | "geography"): string[] {
  return [...new Set(Object.values(profiles).flatMap((some) => some[reach] ?? []))];
}

function tierOf(usd: readonly string[]) {
  const [input = "", output = "", cache_write_5m = "", cache_write_1h = "", cache_read = ""] = usd;
  return { prompt_tokens_above: 0, input, output, cache_read, cache_write_5m, cache_write_1h };
}

/**
 * Returns the facts of a model that may be taken up, or was. Undefined unless each reach of its profiles has a complete price.
 * @param before as it was taken up. @param now in milliseconds
 */
export function takenUp(
  { id, baseId, name, lastDay }: ListedModel,
  {
    listings,
    prices,
    before,
    now,
  }: { listings: readonly HostListing[]; prices: readonly ListedPrice[]; before: TakenModel | undefined; now: number },
): TakenModel | undefined {
  const here = listings.map((listing) => [listing.region, profilesOf(baseId, listing)] as const);
  const profiles = Object.fromEntries(here.filter(([, some]) => Object.keys(some).length > 0));
  const today = new Date(now).toISOString().slice(0, 10);
  const reaches = (["global", "regional"] as const).filter(
    (reach) => idsOf({ profiles }, reach === "global" ? "anywhere" : "geography").length > 0,
  );
  const rows = reaches.map((reach) =>
    priceOf(
      reach,
      prices.filter((price) => price.name === name && price.reach === reach),
      today,
    ),
  );
  if (rows.length === 0 || rows.includes(undefined)) return undefined;
  return {
    ...{ id, base_id: baseId, display_name: name, taken_on: before?.taken_on ?? today, profiles },
    ...(lastDay !== undefined && { last_day: lastDay }),
    prices: rows
      .filter((row) => row !== undefined)
      .reduce((known, row) => followed(known, row, today), before?.prices ?? []),
  };
}

/** A model that the host lists no more has ended. Its names stay known. @param now in milliseconds */
export function ended(model: TakenModel, now: number): TakenModel {
  const yesterday = new Date(now - dayMs).toISOString().slice(0, 10);
  return {
    ...model,
    last_day: model.last_day !== undefined && model.last_day < yesterday ? model.last_day : yesterday,
  };
}

function priceOf(reach: TakenPrice["reach"], rows: readonly ListedPrice[], today: string): TakenPrice | undefined {
  const usd = completeRates(rows);
  const from =
    rows
      .map((row) => row.from)
      .sort()
      .at(-1) ?? today;
  return usd && { reach, from, usd };
}

/** Another price than the last one begins on its listed day, and not before today, since calls were billed until now. */
function followed(known: readonly TakenPrice[], next: TakenPrice, today: string): TakenPrice[] {
  const last = known.findLast(({ reach }) => reach === next.reach);
  if (!last) return [...known, next];
  if (last.usd.join() === next.usd.join()) return [...known];
  const from = next.from > today ? next.from : today;
  return [...known.filter((row) => row.reach !== next.reach || row.from !== from), { ...next, from }];
}
