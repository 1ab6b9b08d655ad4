// The survey: once a day the catalog is compared with the lists of the model host and its prices, and what differs is told to the operator.
import type { Log } from "../kernel/log.ts";
import { familyOf } from "./availability.ts";
import { type Catalog, servedIn } from "./catalog.ts";
import { distinct, type Finding } from "./finding.ts";
import type { HostListing, HostLists, ListedModel, PriceListing, PriceLists } from "./host-listing.ts";
import { compareModels, newModelFinding, newModels } from "./model-comparison.ts";
import { comparePrices } from "./price-comparison.ts";
import { type Region, regions } from "./region.ts";
import { ended, type TakenModel, takenUp, withTakenUp } from "./taken-up.ts";

/** The lines of the log that alarms count. */
export const differenceMessage = "The catalog and the model host differ";
export const newsMessage = "The model host has news for the catalog";

export interface TakenModelStore {
  read(): Promise<TakenModel[]>;
  write(models: readonly TakenModel[]): Promise<void>;
}

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
  taken: TakenModelStore;
  /** The families of which new models are taken up: `claude-opus`. */
  families: readonly string[];
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

/** Logs each difference, and news that were not told before. A repeat logs the differences again. */
export async function survey(deps: SurveyDependencies): Promise<Finding[]> {
  const { catalog: own, host, prices, store, taken, families, log, clock } = deps;
  const before = families.length > 0 ? await taken.read() : [];
  const catalog = withTakenUp(own, before);
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
  const usable = await newOnes();
  const findings = distinct([...unread, ...compared, ...usable.flatMap(({ finding }) => finding)]);
  if (families.length > 0) await taken.write(takenNow());

  const toldBefore = await store.told();
  const news = findings.filter(({ isAlarm }) => !isAlarm);
  for (const finding of findings) {
    if (finding.isAlarm) log.problem(differenceMessage, factsOf(finding));
    else if (!toldBefore.includes(finding.key)) log.info(newsMessage, factsOf(finding));
  }
  // News of a list that could not be read stays remembered, so that it is not told again once the list can be read.
  const kept = unread.length > 0 ? toldBefore : [];
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

  /** The models that were taken up as they are now, and those that are taken up now. What an unread list may have stays as it is. */
  function takenNow(): TakenModel[] {
    const models = usable.flatMap(({ model }) => model ?? []).filter(({ id }) => families.includes(familyOf(id)));
    const now = models.flatMap((model) => {
      const known = before.find(({ base_id }) => base_id === model.baseId);
      return takenUp(model, { listings, prices: listed, before: known, now: clock() }) ?? known ?? [];
    });
    const others = before.filter(({ base_id }) => !now.some((model) => model.base_id === base_id));
    return [...now, ...others.map((model) => (unread.length > 0 || isListed(model) ? model : ended(model, clock())))];
  }

  function isListed({ base_id }: TakenModel): boolean {
    return listings.some(({ models }) => models.some(({ baseId }) => baseId === base_id));
  }

  /** The models that the catalog lacks and the account may call. */
  async function newOnes(): Promise<{ model?: ListedModel; finding: Finding }[]> {
    const found = await Promise.all(
      newModels(own, listings).map(async (model) => {
        const where = listings.filter(({ models }) => models.some(({ baseId }) => baseId === model.baseId));
        const [first] = where;
        if (!first) return [];
        const what = `Whether the account may call ${model.baseId}`;
        const { found: mayUse, problem } = await read(what, () => host.mayUse(first.region, model.baseId));
        if (problem) return [{ finding: problem }];
        return mayUse ? [{ model, finding: newModelFinding(model, where, listed) }] : [];
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
