// Compares the catalog's prices in a region with those that the host's price list has for it.
import { formatUsd } from "../kernel/money.ts";
import { dayMs } from "../kernel/period.ts";
import { offeredAt } from "./availability.ts";
import type { Catalog, Model, PriceTier } from "./catalog.ts";
import { distinct, type Finding } from "./finding.ts";
import type { ListedPrice, PriceListing } from "./host-listing.ts";
import { type ListedRate, listedKinds, listedRate } from "./listed-rates.ts";
import { priceAt } from "./price.ts";
import type { Region } from "./region.ts";
import type { TokenKind } from "./token-usage.ts";

/** A list that was published longer ago may not be written any more. */
const staleDays = 14;

/** @param now in milliseconds */
export function comparePrices(catalog: Catalog, region: Region, listing: PriceListing, now: number): Finding[] {
  const { publishedAt, prices, notUnderstood } = listing;
  // An empty list says nothing of any price.
  if (prices.length === 0) {
    return [
      {
        key: `empty prices ${region}`,
        isAlarm: true,
        says: `The price list of ${region} has no price of the vendor's models.`,
      },
    ];
  }
  return distinct([
    ...stale(region, publishedAt, now),
    ...notUnderstood.map((text) => ({
      key: `not understood ${text}`,
      isAlarm: true,
      says: `The price list sells ${text}, which is not understood.`,
    })),
    ...catalog.models.flatMap((model) => modelFindings(model, region, prices, now)),
  ]);
}

function stale(region: Region, publishedAt: string, now: number): Finding[] {
  const age = now - Date.parse(publishedAt);
  if (age <= staleDays * dayMs) return [];
  return [
    {
      key: `old prices ${region}`,
      isAlarm: true,
      says: `The price list of ${region} is of ${publishedAt}: older than ${staleDays} days.`,
    },
  ];
}

function modelFindings(model: Model, region: Region, prices: readonly ListedPrice[], now: number): Finding[] {
  const { anywhere, ...others } = offeredAt(model, now)?.profiles[region] ?? {};
  const ofReach = (reach: ListedPrice["reach"]) =>
    prices.filter((price) => price.name === model.display_name && price.reach === reach);
  return [
    ...(anywhere === undefined ? [] : profileFindings(model, anywhere, ofReach("global"), now)),
    ...Object.values(others).flatMap((id) => profileFindings(model, id, ofReach("regional"), now)),
  ];
}

type Difference = {
  kind: TokenKind;
  isLong: boolean;
  ours: number | undefined;
  theirs: Exclude<ListedRate, undefined>;
};

function profileFindings(model: Model, profile: string, rows: readonly ListedPrice[], now: number): Finding[] {
  const differences = listedKinds.flatMap((kind) =>
    [false, true].flatMap((isLong) => difference(model, { profile, kind, isLong }, rows, now)),
  );
  const unread = differences.flatMap(({ kind, theirs }) => ("problem" in theirs ? [{ kind, ...theirs }] : []));
  const other = differences.flatMap(({ theirs, ...rest }) => ("usd" in theirs ? [{ ...rest, theirs }] : []));
  return [
    ...unread.map(({ kind, problem }) => ({
      key: `unread price ${profile} ${kind}`,
      isAlarm: true,
      says: `The price list has for ${kind} of ${profile} ${problem}.`,
    })),
    ...(other.length === 0
      ? []
      : [
          {
            key: `price ${profile}`,
            isAlarm: true,
            says: `${profile} costs ${other.map(inWords).join("; ")}.`,
            lines: JSON.stringify({
              profiles: [profile],
              from: other
                .map(({ theirs }) => theirs.from)
                .sort()
                .at(-1),
              ...Object.fromEntries(
                other.map(({ kind, isLong, theirs }) => [isLong ? `${kind} of long prompts` : kind, theirs.usd]),
              ),
            }),
          },
        ]),
  ];
}

function inWords({ kind, isLong, ours, theirs }: Difference & { theirs: { usd: string; from: string } }): string {
  const what = isLong ? `${kind} of long prompts` : kind;
  return `${what} ${theirs.usd} USD from ${theirs.from}, and ${ours === undefined ? "nothing" : formatUsd(ours)} in the catalog`;
}

/** A price that is listed for a later day is compared with the catalog's price of that day. */
function difference(
  model: Model,
  { profile, kind, isLong }: { profile: string; kind: TokenKind; isLong: boolean },
  rows: readonly ListedPrice[],
  now: number,
): Difference[] {
  const theirs = listedRate(rows, kind, isLong);
  if (!theirs) return [];
  const at = "from" in theirs ? Math.max(now, Date.parse(theirs.from)) : now;
  const ours = tierFor(model, profile, isLong, at)?.[kind];
  return "nanoUsd" in theirs && theirs.nanoUsd === ours ? [] : [{ kind, isLong, ours, theirs }];
}

/** The list has one price of long prompts: it is compared with the last of several tiers. */
function tierFor(model: Model, profile: string, isLong: boolean, at: number): PriceTier | undefined {
  const tiers = priceAt(model, profile, new Date(at).toISOString())?.tiers ?? [];
  return isLong ? tiers.slice(1).at(-1) : tiers[0];
}
