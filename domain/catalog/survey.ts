// The survey: once a day the catalog is compared with the lists of the model host and its prices, and what differs is told to the operator.
import type { Log } from "../kernel/log.ts";
import { type Catalog, servedIn } from "./catalog.ts";
import { distinct, type Finding } from "./finding.ts";
import type { HostListing, HostLists, PriceListing, PriceLists } from "./host-listing.ts";
import { compareModels, newModelFinding, newModels } from "./model-comparison.ts";
import { comparePrices } from "./price-comparison.ts";
import { type Region, regions } from "./region.ts";

/** The lines of the log that alarms count. */
export const differenceMessage = "The catalog and the model host differ";
export const newsMessage = "The model host has news for the catalog";

export interface SurveyStore {
  /** The keys of the news that were told and are still there. */
  told(): Promise<string[]>;
  remember(keys: readonly string[]): Promise<void>;
}

export type SurveyDependencies = {
  catalog: Catalog;
  host: HostLists;
  prices: PriceLists;
  store: SurveyStore;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

/** Logs each difference, and news that were not told before. A repeat logs the differences again. */
export async function survey({ catalog, host, prices, store, log, clock }: SurveyDependencies): Promise<Finding[]> {
  const surveyed = regions.filter((region) => servedIn(catalog, region));
  const lists = await Promise.all(
    surveyed.map((region) => read(`The model host's lists of ${region}`, () => host.of(region))),
  );
  const priceLists = await Promise.all(
    surveyed.map((region) => read(`The price list of ${region}`, () => prices.of(region))),
  );
  const listings = lists.flatMap(({ found }) => found ?? []);
  const compared = surveyed.flatMap((region, index) =>
    comparedIn(region, lists[index]?.found, priceLists[index]?.found),
  );
  const listed = priceLists.flatMap(({ found }) => found?.prices ?? []);
  const unread = [...lists, ...priceLists].flatMap(({ problem }) => problem ?? []);
  const findings = distinct([...unread, ...compared, ...(await newOnes())]);

  const before = await store.told();
  const news = findings.filter(({ isAlarm }) => !isAlarm);
  for (const finding of findings) {
    if (finding.isAlarm) log.problem(differenceMessage, factsOf(finding));
    else if (!before.includes(finding.key)) log.info(newsMessage, factsOf(finding));
  }
  // What an unread list had told before is told no second time once the list can be read again.
  const kept = unread.length > 0 ? before : [];
  await store.remember([...new Set([...kept, ...news.map(({ key }) => key)])]);
  return findings;

  function comparedIn(
    region: Region,
    listing: HostListing | undefined,
    priceList: PriceListing | undefined,
  ): Finding[] {
    return [
      ...(listing ? compareModels(catalog, listing, clock()) : []),
      ...(priceList ? comparePrices(catalog, region, priceList, clock()) : []),
    ];
  }

  /** The new models that the account may call. */
  async function newOnes(): Promise<Finding[]> {
    const found = await Promise.all(
      newModels(catalog, listings).map(async (model) => {
        const where = listings.filter(({ models }) => models.some(({ baseId }) => baseId === model.baseId));
        const [first] = where;
        if (!first) return [];
        const what = `Whether the account may call ${model.baseId}`;
        const { found: mayUse, problem } = await read(what, () => host.mayUse(first.region, model.baseId));
        if (problem) return [problem];
        return mayUse ? [newModelFinding(model, where, listed)] : [];
      }),
    );
    return found.flat();
  }

  async function read<T>(what: string, list: () => Promise<T>): Promise<{ found?: T; problem?: Finding }> {
    try {
      return { found: await list() };
    } catch (error) {
      log.problem("A list could not be read", { list: what }, error);
      return { problem: { key: `unread ${what}`, isAlarm: true, says: `${what} cannot be read.` } };
    }
  }
}

function factsOf({ says, lines }: Finding) {
  return { finding: says, ...(lines && { lines }) };
}
