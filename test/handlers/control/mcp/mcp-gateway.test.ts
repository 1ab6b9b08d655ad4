import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openControlPlane } from "../../../support/control-plane.ts";

const path = "/v1/mcp-gateway";
let plane: Awaited<ReturnType<typeof openControlPlane>>;
beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());

test("a workspace has no MCP gateway until its owner creates one, which is then shown without the secret", async () => {
  const owner = await plane.workspace("Tools");
  expect(await plane.call("GET", path, { as: owner })).toMatchObject({ status: 404 });
  const made = await plane.call("POST", path, { as: owner });
  expect(made).toMatchObject({
    status: 200,
    body: {
      endpoint: "https://mcp.example.com/gateway-1/mcp",
      client_id: "c1",
      public_client_id: "p1",
      client_secret: "first-secret",
      state: "ready",
    },
  });
  expect((await plane.call("POST", path, { as: owner })).body).toEqual(made.body);
  const { client_secret: _, commands: __, ...kept } = made.body;
  expect((await plane.call("GET", path, { as: owner })).body).toEqual(kept);
});

test("an MCP gateway's shell commands need nothing but its address", async () => {
  const owner = await plane.workspace("Lines");
  const { commands } = (await plane.call("POST", path, { as: owner })).body;
  for (const line of Object.values(commands)) {
    expect(line).toContain("https://mcp.example.com/gateway-1/mcp");
    expect(line).not.toMatch(/client-id|secret/);
  }
});

test("the owner names addresses of further clients, which everybody sees, and the audit trail has the change", async () => {
  const owner = await plane.workspace("Addresses");
  const redirect_uris = ["https://chat.example.com/cb", "https://chat.example.com/cb?a=b"];
  const named = (addresses: unknown) => plane.call("PATCH", path, { as: owner, body: { redirect_uris: addresses } });
  expect((await named(redirect_uris)).status).toBe(404);
  await plane.call("POST", path, { as: owner });
  expect(await named([...redirect_uris, ...redirect_uris])).toMatchObject({ status: 200, body: { redirect_uris } });
  expect((await plane.call("GET", path, { as: owner })).body).toMatchObject({ redirect_uris });
  const { body } = await plane.call("GET", "/v1/audit", { as: owner, query: { action: "mcp_gateway.update" } });
  expect(body.data).toMatchObject([{ before: { redirect_uris: [] }, after: { redirect_uris } }]);
  expect((await named([])).body.redirect_uris).toEqual([]);
});

test("the owner cannot name an address to which nobody is sent", async () => {
  const owner = await plane.workspace("Bad addresses");
  await plane.call("POST", path, { as: owner });
  for (const address of [
    "javascript:alert(1)",
    "http://chat.example.com/cb",
    "https://chat.example.com/cb#x",
    "https://a@chat.example.com/cb",
  ]) {
    const body = { redirect_uris: ["https://good.example/cb", address] };
    const answer = await plane.call("PATCH", path, { as: owner, body });
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining("redirect_uris.1")]);
  }
});

test("an MCP gateway's rotated secret is shown with the expiry of the previous one", async () => {
  const owner = await plane.workspace("Rotation");
  expect((await plane.call("POST", `${path}/rotate-secret`, { as: owner })).status).toBe(404);
  await plane.call("POST", path, { as: owner });
  const { status, body } = await plane.call("POST", `${path}/rotate-secret`, { as: owner });
  expect([status, body.client_secret, body.client_id]).toEqual([200, "second-secret", "c1"]);
  expect(body.previous_secret_until).toEqual(expect.any(String));
});

test("removing an MCP gateway begins at once, and does not affect another workspace's gateway", async () => {
  const [owner, other] = [await plane.workspace("Going"), await plane.workspace("Staying")];
  for (const as of [owner, other]) await plane.call("POST", path, { as });
  expect((await plane.call("DELETE", path, { as: owner })).status).toBe(202);
  expect(await plane.call("GET", path, { as: owner })).toMatchObject({ status: 200, body: { state: "deleting" } });
  expect(await plane.call("GET", path, { as: other })).toMatchObject({ status: 200, body: { state: "ready" } });
});
