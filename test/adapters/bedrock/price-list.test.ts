import { expect, test } from "@jest/globals";
import { listingOf, priceLists } from "../../../adapters/bedrock/price-list.ts";

type Row = { servicename?: string; usagetype: string; unit?: string; usd?: string };

/** A price list in AWS's form. */
function file(...rows: Row[]) {
  const products = rows.map(({ servicename = "Claude Opus 5.5 (Amazon Bedrock Edition)", usagetype }, index) => [
    `S${index}`,
    { attributes: { servicename, usagetype, regionCode: "us-east-1" } },
  ]);
  const terms = rows.map(({ unit = "1M tokens", usd = "4.4000000000" }, index) => [
    `S${index}`,
    { t: { effectiveDate: "2026-09-22T00:00:00Z", priceDimensions: { d: { unit, pricePerUnit: { USD: usd } } } } },
  ]);
  return {
    publicationDate: "2026-11-20T16:00:00Z",
    products: Object.fromEntries(products),
    terms: { OnDemand: Object.fromEntries(terms) },
  };
}

const input = { usagetype: "USE1-MP:USE1_input_tokens_standard-Units" };

test("the prices of the vendor's models are read with their names, and no other product's", () => {
  expect(listingOf(file(input, { ...input, servicename: "Nova Pro" }))).toEqual({
    publishedAt: "2026-11-20T16:00:00Z",
    prices: [
      { name: "Claude Opus 5.5", reach: "regional", kind: "input", isLong: false, usd: "4.4", from: "2026-09-22" },
    ],
    notUnderstood: [],
  });
});

test.each([
  ["22.0000000000", "22"],
  ["0.2750000000", "0.275"],
  ["0.0000000000", "0"],
  ["100", "100"],
])("the price %s is read as %s", (usd, read) => {
  expect(listingOf(file({ ...input, usd })).prices[0]?.usd).toBe(read);
});

test("words that nobody knows are named once, and other ways of paying are passed over", () => {
  const unknown = { usagetype: "USE1-MP:USE1_thinking_tokens_standard-Units" };
  const { prices, notUnderstood } = listingOf(
    file(unknown, unknown, { ...input, unit: "hour" }, { usagetype: "USE1-MP:USE1_InputTokenCount_Batch-Units" }),
  );
  expect([prices, notUnderstood]).toEqual([
    [],
    [
      "USE1-MP:USE1_thinking_tokens_standard-Units of Claude Opus 5.5 (1M tokens)",
      "USE1-MP:USE1_input_tokens_standard-Units of Claude Opus 5.5 (hour)",
    ],
  ]);
});

test("a price list of another form is no price list", async () => {
  for (const text of ["{}", "not JSON", '{"publicationDate":"2026-11-20T16:00:00Z"}']) {
    await expect(priceLists(async () => text).of("us-east-1")).rejects.toThrow();
  }
});

test("the price list of a region is asked at its public address", async () => {
  const asked: string[] = [];
  const read = async (url: string) => {
    asked.push(url);
    return JSON.stringify(file(input));
  };
  expect((await priceLists(read).of("eu-central-2")).prices).toHaveLength(1);
  expect(asked).toEqual([
    "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonBedrockFoundationModels/current/eu-central-2/index.json",
  ]);
});
