// AWS's public price list for models of the marketplace, by region, in its own form: usage types of both spellings, prices as texts.
// The prices are those of Amazon Bedrock's price page (2026-11); global profiles cost a tenth less than all others.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../clock.ts";

/** USD for a million tokens with a global profile: input, output, cache writes of five minutes and of an hour, cache reads. */
export type Prices = [input: number, output: number, write5m: number, write1h: number, read: number];

/** Prices by the model's name; a second row is that of long prompts. */
export type PriceTable = Record<string, { rows: Prices[]; from: string; isOld?: boolean }>;

export const priceListHost = "pricing.us-east-1.amazonaws.com";

const since47 = (from: string, ...rows: Prices[]) => ({ rows, from });
const before47 = (from: string, ...rows: Prices[]) => ({ rows, from, isOld: true });
const opus: Prices = [5, 25, 6.25, 10, 0.5];
const sonnet: Prices = [3, 15, 3.75, 6, 0.3];

export const listPrices: PriceTable = {
  "Claude Fable 5.2": since47("2026-11-09", [8, 40, 10, 16, 0.2]),
  "Claude Fable 5.1": since47("2026-09-01", [10, 50, 12.5, 20, 0.25]),
  "Claude Fable 5": since47("2026-06-09", [10, 50, 12.5, 20, 1]),
  "Claude Haiku 5.5": since47("2026-10-07", [0.1, 0.5, 0.125, 0.2, 0.01], [0.5, 2.5, 0.625, 1, 0.05]),
  "Claude Sonnet 5.5": since47("2026-09-28", [2, 10, 2.5, 4, 0.1]),
  "Claude Opus 5.5": since47("2026-09-22", [4, 20, 5, 8, 0.2]),
  "Claude Opus 5": since47("2026-07-24", opus),
  "Claude Sonnet 5": since47("2026-06-30", [2, 10, 2.5, 4, 0.2]),
  "Claude Opus 4.8": since47("2026-05-28", opus),
  "Claude Opus 4.7": since47("2026-04-16", opus),
  "Claude Sonnet 4.6": before47("2026-02-17", sonnet),
  "Claude Opus 4.6": before47("2026-02-05", opus),
  "Claude Opus 4.5": before47("2025-11-24", opus),
  "Claude Haiku 4.5": before47("2025-10-15", [1, 5, 1.25, 2, 0.1]),
  "Claude Sonnet 4.5": before47("2025-09-29", sonnet),
};

/** The words of the kinds of tokens, in the order of `Prices`. */
const words = {
  old: [
    "InputTokenCount",
    "OutputTokenCount",
    "CacheWriteInputTokenCount",
    "CacheWrite1hInputTokenCount",
    "CacheReadInputTokenCount",
  ],
  new: ["input_tokens", "output_tokens", "cache_write_tokens", "cache_write_tokens_1h", "cache_read_tokens"],
};

const codes: Record<string, string> = { "eu-central-1": "EUC1", "eu-central-2": "EUC2", "us-east-1": "USE1" };

export class PriceList {
  readonly #clock: Pick<Clock, "now">;
  #table: PriceTable = listPrices;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Adds models to the list, or changes their prices. */
  put(table: PriceTable): void {
    this.#table = { ...this.#table, ...table };
  }

  clear(): void {
    this.#table = listPrices;
  }

  matches(host: string): boolean {
    return host === priceListHost;
  }

  async handle({ url = "" }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, region = ""] =
      /^\/offers\/v1\.0\/aws\/AmazonBedrockFoundationModels\/current\/([a-z0-9-]+)\/index\.json$/.exec(url) ?? [];
    const code = codes[region];
    if (!code) return void response.writeHead(403).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(this.#file(region, code)));
  }

  #file(regionCode: string, code: string): object {
    const products: Record<string, object> = {};
    const OnDemand: Record<string, object> = {};
    for (const [name, { rows, from, isOld }] of Object.entries(this.#table)) {
      for (const { usage, usd } of rows.flatMap((row, index) => rowsOf(row, index > 0, isOld === true))) {
        const sku = `SKU${Object.keys(products).length}`;
        const usagetype = `${code}-MP:${code}_${usage}-Units`;
        products[sku] = { sku, attributes: { servicename: `${name} (Amazon Bedrock Edition)`, regionCode, usagetype } };
        const dimension = { unit: "1M tokens", pricePerUnit: { USD: usd.toFixed(10) } };
        OnDemand[sku] = {
          [`${sku}.T`]: { effectiveDate: `${from}T00:00:00Z`, priceDimensions: { [`${sku}.T.D`]: dimension } },
        };
      }
    }
    return {
      formatVersion: "v1.0",
      publicationDate: new Date(this.#clock.now()).toISOString(),
      products,
      terms: { OnDemand },
    };
  }
}

function rowsOf(prices: Prices, isLong: boolean, isOld: boolean): { usage: string; usd: number }[] {
  return prices.flatMap((usd, index) => {
    const word = words[isOld ? "old" : "new"][index];
    const long = isLong ? "_long_ctx" : "";
    const end = isOld ? "" : "_standard";
    return [
      { usage: `${word}${isOld ? "_Global" : "_global"}${long}${end}`, usd },
      { usage: `${word}${long}${end}`, usd: usd * 1.1 },
      { usage: `${word}${isOld ? "_Global_Batch" : "_global_batch"}`, usd: usd / 2 },
    ];
  });
}
