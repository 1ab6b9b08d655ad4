import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openControlPlane } from "../../../support/control-plane.ts";

let plane: Awaited<ReturnType<typeof openControlPlane>>;

beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());

test("a member can read what each marketplace provider is, needs and can do, but not how the platform calls it", async () => {
  const owner = await plane.workspace("Pets");
  const developer = await plane.developer(owner.tenant_id);
  const { status, body } = await plane.call("GET", "/v1/mcp-providers", { as: developer });
  expect(status).toBe(200);
  const tavily = body.data.find(({ provider_id }: { provider_id: string }) => provider_id === "tavily");
  expect(Object.keys(tavily).sort()).toEqual([
    ...["configuration", "description", "icon", "kind", "name", "provider_id", "secret", "tools"],
  ]);
  expect(tavily.tools).toContainEqual({ name: "tavily_search", description: "Search the web" });
});
