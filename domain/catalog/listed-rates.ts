// The listed prices of one model and one reach, as a tier of the catalog has them.
import { parseUsd } from "../kernel/money.ts";
import type { ListedPrice } from "./host-listing.ts";
import type { TokenKind } from "./token-usage.ts";

/** The kinds of tokens that a price list has, in the order of the price page. */
export const listedKinds = [
  "input",
  "output",
  "cache_write_5m",
  "cache_write_1h",
  "cache_read",
] as const satisfies TokenKind[];

/** A price that can be read: one, and above zero. `problem` says why there is none. */
export type ListedRate = { usd: string; nanoUsd: number; from: string } | { problem: string } | undefined;

/** The listed price of a kind of token; undefined if the list has none. */
export function listedRate(rows: readonly ListedPrice[], kind: TokenKind, isLong: boolean): ListedRate {
  const found = rows.filter((row) => row.kind === kind && row.isLong === isLong);
  const [first] = found;
  if (!first) return undefined;
  const prices = [...new Set(found.map(({ usd }) => usd))];
  if (prices.length > 1) return { problem: `${prices.length} prices: ${prices.join(", ")}` };
  try {
    const nanoUsd = parseUsd(first.usd);
    return nanoUsd > 0 ? { ...first, nanoUsd } : { problem: "a price of zero" };
  } catch {
    return { problem: `${JSON.stringify(first.usd)}, which is no price` };
  }
}

/** The five prices in the order of the price page; undefined unless each kind of token has one that can be read, and no long prompt another. */
export function completeRates(rows: readonly ListedPrice[]): string[] | undefined {
  if (rows.some(({ isLong }) => isLong)) return undefined;
  const rates = listedKinds.map((kind) => listedRate(rows, kind, false));
  const prices = rates.flatMap((rate) => (rate && "usd" in rate ? [rate.usd] : []));
  return prices.length === listedKinds.length ? prices : undefined;
}
