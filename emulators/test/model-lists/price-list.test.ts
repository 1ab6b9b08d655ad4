import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PriceList, priceListHost } from "../../model-lists/price-list.ts";

const list = new PriceList({ now: () => Date.parse("2026-11-28T00:00:00Z") });
const server = createServer((request, response) => void list.handle(request, response));
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers/v1.0/aws/AmazonBedrockFoundationModels/current`;
});
afterAll(() => void server.close());

async function prices(region: string): Promise<Record<string, string>> {
  const { products, terms } = (await (await fetch(`${url}/${region}/index.json`)).json()) as {
    products: Record<string, { attributes: { servicename: string; usagetype: string } }>;
    terms: {
      OnDemand: Record<string, Record<string, { priceDimensions: Record<string, { pricePerUnit: { USD: string } }> }>>;
    };
  };
  return Object.fromEntries(
    Object.entries(products).map(([sku, { attributes }]) => {
      const [term] = Object.values(terms.OnDemand[sku] ?? {});
      const [dimension] = Object.values(term?.priceDimensions ?? {});
      return [`${attributes.servicename} ${attributes.usagetype}`, dimension?.pricePerUnit.USD ?? ""];
    }),
  );
}

test("the list has the prices of both reaches, in the spelling of the model's generation", async () => {
  const found = await prices("us-east-1");
  expect(found["Claude Opus 5.5 (Amazon Bedrock Edition) USE1-MP:USE1_input_tokens_standard-Units"]).toBe(
    "4.4000000000",
  );
  expect(found["Claude Opus 5.5 (Amazon Bedrock Edition) USE1-MP:USE1_input_tokens_global_standard-Units"]).toBe(
    "4.0000000000",
  );
  expect(found["Claude Haiku 4.5 (Amazon Bedrock Edition) USE1-MP:USE1_CacheWrite1hInputTokenCount_Global-Units"]).toBe(
    "2.0000000000",
  );
});

test("a model is added to the list, and gone once it is cleared", async () => {
  list.put({ "Claude Opus 6": { rows: [[1, 2, 3, 4, 5]], from: "2026-12-01" } });
  const name = "Claude Opus 6 (Amazon Bedrock Edition) EUC1-MP:EUC1_output_tokens_global_standard-Units";
  expect((await prices("eu-central-1"))[name]).toBe("2.0000000000");
  list.clear();
  expect((await prices("eu-central-1"))[name]).toBeUndefined();
});

test("another path has no list", async () => {
  expect((await fetch(`${url}/mars-1/index.json`)).status).toBe(403);
  expect([list.matches(priceListHost), list.matches("example.com")]).toEqual([true, false]);
});
