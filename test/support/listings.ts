// Lists of a model host that agree with a catalog.
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { HostListing, ListedPrice, PriceListing } from "../../domain/catalog/host-listing.ts";
import { listedKinds } from "../../domain/catalog/listed-rates.ts";
import type { Region } from "../../domain/catalog/region.ts";
import { formatUsd } from "../../domain/kernel/money.ts";

export function listingOf({ models }: Catalog, region: Region): HostListing {
  const here = models.filter(({ profiles }) => profiles[region] !== undefined);
  return {
    region,
    models: here.map(({ id, base_id, display_name, last_day }) => ({
      id,
      baseId: base_id,
      name: display_name,
      isLegacy: false,
      ...(last_day !== undefined && { lastDay: last_day }),
    })),
    profiles: here.flatMap(({ base_id, profiles }) =>
      (["geography", "anywhere"] as const).flatMap((reach) => {
        const id = profiles[region]?.[reach];
        return id === undefined ? [] : [{ id, baseId: base_id, reach }];
      }),
    ),
  };
}

/** The prices of the first row of each profile. */
export function pricesOf(catalog: Catalog, publishedAt: string): PriceListing {
  const prices = catalog.models.flatMap((model) =>
    model.prices.flatMap(({ profiles, from, tiers }) =>
      (["global", "regional"] as const)
        .filter((reach) => profiles.some((id) => id.startsWith("global.") === (reach === "global")))
        .flatMap((reach) =>
          tiers.flatMap((tier, index) =>
            listedKinds.map((kind): ListedPrice => {
              return {
                name: model.display_name,
                reach,
                kind,
                isLong: index > 0,
                usd: formatUsd(tier[kind]),
                from: from.slice(0, 10),
              };
            }),
          ),
        ),
    ),
  );
  return { publishedAt, prices, notUnderstood: [] };
}
