// AWS's public price list of a region, which anybody may read: the prices of Claude models.
import https from "node:https";
import * as z from "zod";
import type { ListedPrice, PriceListing, PriceLists } from "../../domain/catalog/host-listing.ts";
import { agents } from "../connections.ts";
import { usageTypeOf } from "./usage-type.ts";

const host = "https://pricing.us-east-1.amazonaws.com";
const timeoutMs = 30_000;
/** A region's list has some megabytes. */
const maxBytes = 64 * 1024 * 1024;

/** The end of the names of products, and the beginning of those of the vendor's. */
const edition = " (Amazon Bedrock Edition)";
const family = "Claude ";

const fileSchema = z.object({
  publicationDate: z.iso.datetime(),
  products: z.record(
    z.string(),
    z.object({ attributes: z.object({ servicename: z.string().default(""), usagetype: z.string().default("") }) }),
  ),
  terms: z.object({
    OnDemand: z
      .record(
        z.string(),
        z.record(
          z.string(),
          z.object({
            effectiveDate: z.string(),
            priceDimensions: z.record(
              z.string(),
              z.object({ unit: z.string(), pricePerUnit: z.object({ USD: z.string().default("") }) }),
            ),
          }),
        ),
      )
      .default({}),
  }),
});

export function priceLists(read = readText): PriceLists {
  return {
    async of(region) {
      const text = await read(`${host}/offers/v1.0/aws/AmazonBedrockFoundationModels/current/${region}/index.json`);
      return listingOf(JSON.parse(text));
    },
  };
}

/** @throws an error if the file has another form. */
export function listingOf(json: unknown): PriceListing {
  const { publicationDate, products, terms } = fileSchema.parse(json);
  const prices: ListedPrice[] = [];
  const notUnderstood = new Set<string>();
  for (const [sku, { attributes }] of Object.entries(products)) {
    const { servicename, usagetype } = attributes;
    if (!servicename.startsWith(family)) continue;
    const usage = usageTypeOf(usagetype);
    if (usage === "unused") continue;
    const name = servicename.replace(edition, "");
    for (const { effectiveDate, priceDimensions } of Object.values(terms.OnDemand[sku] ?? {})) {
      for (const { unit, pricePerUnit } of Object.values(priceDimensions)) {
        // A few prices of tokens are in "Units", and mean a million all the same.
        if (usage && /^(1M tokens|Units)$/i.test(unit)) {
          prices.push({ name, ...usage, usd: withoutZeros(pricePerUnit.USD), from: effectiveDate.slice(0, 10) });
        } else if (/token/i.test(`${usagetype} ${unit}`)) notUnderstood.add(`${usagetype} of ${name} (${unit})`);
      }
    }
  }
  return { publishedAt: publicationDate, prices, notUnderstood: [...notUnderstood] };
}

/** `4.4` of `4.4000000000`. */
function withoutZeros(usd: string): string {
  return usd.includes(".") ? usd.replace(/\.?0+$/, "") : usd;
}

function readText(url: string): Promise<string> {
  const { httpsAgent: agent } = agents();
  return new Promise((resolve, reject) => {
    https
      .get(url, { agent, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) return void response.destroy(new Error("the price list is too large"));
          chunks.push(chunk);
        });
        response.once("error", reject);
        response.once("end", () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString("utf8"));
          else reject(new Error(`the price list is answered with ${response.statusCode}`));
        });
      })
      .once("error", reject);
  });
}
