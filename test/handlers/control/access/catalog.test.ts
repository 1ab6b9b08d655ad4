import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openControlPlane } from "../../../support/control-plane.ts";

let plane: Awaited<ReturnType<typeof openControlPlane>>;
beforeAll(async () => {
  plane = await openControlPlane(() => ({ clock: () => Date.parse("2026-11-23T10:00:00Z") }));
});
afterAll(() => plane.close());

type Offer = { id: string; regions: { region: string; runs_anywhere: boolean; prices: Record<string, number>[] }[] };

test("GET /v1/catalog shows an owner every model with its prices, and a developer those of the grant in its regions", async () => {
  const owner = await plane.workspace("Catalog");
  const developer = await plane.developer(owner.tenant_id);
  const offered = async (as: typeof owner) => {
    const { status, body } = await plane.call("GET", "/v1/catalog", { as });
    return { status, offers: (body.data ?? []) as Offer[] };
  };
  const { offers } = await offered(owner);
  expect(offers.length).toBe(plane.dependencies.catalog.models.length);
  for (const { id, regions } of offers)
    for (const { prices } of regions) expect([id, prices[0]?.input]).toEqual([id, expect.any(Number)]);
  expect((await offered(developer)).status).toBe(403);
  const grant = { allowed_models: ["claude-haiku-4-5"], allowed_regions: ["us-east-1"], monthly_budget_usd: 1 };
  await plane.call("PUT", `/v1/grants/${developer.sub}`, { as: owner, body: grant });
  const granted = (await offered(developer)).offers;
  expect(granted.map(({ id }) => id)).toEqual(["claude-haiku-4-5"]);
  expect(granted[0]?.regions.map(({ region }) => region)).toEqual(["us-east-1"]);
});
