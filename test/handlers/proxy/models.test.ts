import { beforeEach, describe, expect, test } from "@jest/globals";
import { aGrant, aTenant, tenantId } from "../../support/accounting/admissions.ts";
import { openProxy, type ProxyRequest, proxyToken, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
});

const get = (path: string, request: ProxyRequest = {}) =>
  proxy.ask({ method: "GET", path: `/vendor/v1/models${path}`, ...request });
const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);

describe("the list of models", () => {
  test("tells of each what clients read", async () => {
    const { status, headers, json, requestId } = await get("");
    expect(status).toBe(200);
    expect(headers).toMatchObject({ "content-type": "application/json", "request-id": requestId });
    expect(json.data.find(({ id }: { id: string }) => id === "claude-sonnet-5")).toEqual({
      type: "model",
      id: "claude-sonnet-5",
      display_name: "Claude Sonnet 5",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      max_input_tokens: 1_000_000,
      max_tokens: expect.any(Number),
    });
    expect(headers["cache-control"]).toBe("no-store");
  });

  test("holds only what the caller's grant allows", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: ["claude-sonnet-5"] }));
    const { json } = await get("");
    expect(json).toMatchObject({ has_more: false, first_id: "claude-sonnet-5", last_id: "claude-sonnet-5" });
    expect(idsOf(json)).toEqual(["claude-sonnet-5"]);
  });

  test("is paged by the query", async () => {
    const all = idsOf((await get("")).json);
    const { json } = await get("", { query: { limit: "1", after_id: all[0] as string } });
    expect(json).toMatchObject({ has_more: true, first_id: all[1], last_id: all[1] });
    expect((await get("", { query: { limit: "0" } })).status).toBe(400);
  });
});

describe("one model", () => {
  test("is found by its id, and by an alias under its id", async () => {
    expect((await get("/claude-sonnet-5")).json.id).toBe("claude-sonnet-5");
    const aliased = await get("/claude-haiku-4-5-20251001");
    expect([aliased.status, aliased.json.id]).toEqual([200, "claude-haiku-4-5"]);
  });

  test("has an id that may be percent-encoded", async () => {
    expect((await get("/claude%2Dsonnet%2D5")).json.id).toBe("claude-sonnet-5");
  });

  test.each(["/gpt-4", "/%", "/%E0%A4%A"])("%s is not found", async (path) => {
    const { status, json } = await get(path);
    expect([status, json.error.type]).toEqual([404, "not_found_error"]);
  });

  test("outside of the grant is not found either", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: ["claude-haiku-4-5"] }));
    expect((await get("/claude-sonnet-5")).status).toBe(404);
  });
});

describe("asking for models", () => {
  test.each(["", "/claude-sonnet-5"])("takes the steps up to the grant, and no more: models%s", async (path) => {
    const { accounting, host } = proxy;
    expect((await get(path)).status).toBe(200);
    expect([accounting.calls, host.calls]).toEqual([[], []]);

    const scopeless = { headers: { authorization: `Bearer ${proxyToken({ scope: "openid" })}` } };
    expect((await get(path, scopeless)).status).toBe(403);
    expect((await get(path, { headers: { authorization: undefined } })).status).toBe(401);
    proxy = openProxy();
    proxy.tenants.set("acme", aTenant({ status: "suspended" }));
    expect((await get(path)).json.error.type).toBe("tenant_suspended");
    proxy = openProxy();
    proxy.grants.clear();
    expect((await get(path)).status).toBe(403);
  });

  test("needs the edge's secret", async () => {
    expect((await get("", { headers: { "x-origin-secret": "wrong" } })).status).toBe(404);
  });
});
