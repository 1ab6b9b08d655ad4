// The lines by which the built-in catalog knows a model that the model host lists (CONTRIBUTING.md, "Add a model").
import type { Profiles } from "./catalog.ts";
import type { HostListing, ListedModel, ListedPrice } from "./host-listing.ts";
import { completeRates } from "./listed-rates.ts";

export function modelLines(
  { id, baseId, name }: ListedModel,
  listings: readonly HostListing[],
  prices: readonly ListedPrice[],
): string {
  const profiles = Object.fromEntries(listings.map((listing) => [listing.region, profilesOf(baseId, listing)]));
  const [worldwide, regional] = (["global", "regional"] as const).map((reach) =>
    completeRates(prices.filter((price) => price.name === name && price.reach === reach)),
  );
  const from = prices.find((price) => price.name === name)?.from;
  return [
    `model(${JSON.stringify(id)}, ${JSON.stringify(name)}, {`,
    "  ...large, // The context window and the output limit are on AWS's model card.",
    `  released: ${JSON.stringify(from ?? "the day of the model card")},`,
    `  base: ${JSON.stringify(baseId)},`,
    `  profiles: () => (${JSON.stringify(profiles)}),`,
    worldwide
      ? `  tiers: [rates(${worldwide.join(", ")})],${regional ? ` // Regional: ${regional.join(", ")}` : ""}`
      : "  // AWS's price list has no complete price yet. Without one the model cannot be offered.",
    "  capabilities: since47, // Confirm what the model refuses.",
    "}),",
  ].join("\n");
}

/** The profiles of a model in a region, by where they may run it. */
export function profilesOf(baseId: string, { profiles }: Pick<HostListing, "profiles">): Profiles {
  const ofReach = (reach: "geography" | "anywhere") =>
    profiles.find((profile) => profile.baseId === baseId && profile.reach === reach)?.id;
  const [geography, anywhere] = [ofReach("geography"), ofReach("anywhere")];
  return { ...(geography !== undefined && { geography }), ...(anywhere !== undefined && { anywhere }) };
}
