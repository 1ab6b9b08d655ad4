// The vendor's models as the model host and its price list have them, as far as the catalog is compared with them.
import type { Region } from "./region.ts";
import type { TokenKind } from "./token-usage.ts";

/** A model as the host lists it for a region. */
export type ListedModel = {
  /** The id that the catalog gives it. */
  id: string;
  baseId: string;
  name: string;
  /** The host serves it still, and advises against it. */
  isLegacy: boolean;
  /** The last day (UTC) on which the host serves it, if the host names one. */
  lastDay?: string | undefined;
};

/** An inference profile: it runs a model in a geography, or anywhere. */
export type ListedProfile = { id: string; baseId: string; reach: "geography" | "anywhere" };

export type HostListing = {
  region: Region;
  models: readonly ListedModel[];
  /** The profiles that can be called in the region. */
  profiles: readonly ListedProfile[];
};

/** A price for a million tokens. */
export type ListedPrice = {
  /** The model's name, for people. */
  name: string;
  /** Whether it is the price of global profiles, or of those of a geography or a region. */
  reach: "global" | "regional";
  kind: TokenKind;
  /** The price of prompts that are longer than a limit, which the list does not name. */
  isLong: boolean;
  /** Decimal USD as listed. */
  usd: string;
  /** The day (UTC) from which it holds. */
  from: string;
};

export type PriceListing = {
  /** ISO 8601. */
  publishedAt: string;
  prices: readonly ListedPrice[];
  /** Entries of the price list for the vendor's models whose words the reader does not know yet. */
  notUnderstood: readonly string[];
};

export interface HostLists {
  /** @throws an error if the lists cannot be read */
  of(region: Region): Promise<HostListing>;
  /** Whether the account may call the model in the region. */
  mayUse(region: Region, baseId: string): Promise<boolean>;
}

export interface PriceLists {
  /** @throws an error if the list cannot be read */
  of(region: Region): Promise<PriceListing>;
}
