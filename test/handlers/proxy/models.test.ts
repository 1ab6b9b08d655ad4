import { beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Model } from "../../../domain/catalog/catalog.ts";
import { pageOfModels } from "../../../handlers/proxy/models.ts";
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
  test("the list of models has the fields that clients read", async () => {
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

  test("the list of models has only models that the caller's grant allows", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: ["claude-sonnet-5"] }));
    const { json } = await get("");
    expect(json).toMatchObject({ has_more: false, first_id: "claude-sonnet-5", last_id: "claude-sonnet-5" });
    expect(idsOf(json)).toEqual(["claude-sonnet-5"]);
  });

  describe("of which the usual region serves some", () => {
    const fable = "claude-fable-5-1";
    const idsFor = async (headers: Record<string, string>) =>
      idsOf((await get("", { headers, query: { limit: "1000" } })).json);

    test("the list of models has all models for callers without a region header, and otherwise those that can be called in the region", async () => {
      const regions = ["eu-central-1" as const, "us-east-1" as const];
      proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: ["*"], allowed_regions: regions }));
      const [all, usual] = [await idsFor({}), await idsFor({ "user-agent": "claude-cli/2.1.330 (external, cli)" })];
      const named = await idsFor({ "x-platform-region": "us-east-1" });
      for (const id of usual) expect(all).toContain(id);
      for (const [list, region] of [
        [usual, undefined],
        [named, "us-east-1"],
      ] as const) {
        for (const model of all) {
          const body = { model, max_tokens: 1, messages: [{ role: "user", content: "x" }] };
          const headers = region ? { "x-platform-region": region } : {};
          const { status } = await proxy.ask({ body, headers });
          expect([model, status]).toEqual([model, list.includes(model) ? 200 : 403]);
        }
      }
      expect([all.includes(fable), usual.includes(fable)]).toEqual([true, false]);
    });

    test.each([
      [
        "that there is not",
        "mars-1",
        'The region "mars-1" does not exist here. Allowed for this caller: eu-central-1, us-east-1.',
      ],
      [
        "that is not in the grant",
        "eu-central-2",
        "The region eu-central-2 is not in the grant. Allowed for this caller: eu-central-1, us-east-1.",
      ],
    ])(
      "the list of models for a region %s is refused with the same reason as a message",
      async (_which, region, message) => {
        const regions = ["eu-central-1" as const, "us-east-1" as const];
        proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: ["*"], allowed_regions: regions }));
        const { status, json } = await get("", { headers: { "x-platform-region": region } });
        expect([status, json.error.message]).toEqual([403, message]);
      },
    );

    test.each([
      ["claude-sonnet-4-6", "eu-central-2", "The model is not available in eu-central-2."],
      [
        "claude-fable-5-1",
        "eu-central-1",
        "The model is served in eu-central-1 by a global profile only, which the grant does not allow.",
      ],
    ])(
      "the list of models is refused with a reason if a region has none of the granted models: %s in %s",
      async (model, region, why) => {
        proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: [model] }));
        const { status, json } = await get("", { headers: { "x-platform-region": region } });
        expect([status, json.error.details.error_code]).toEqual([403, "region_not_allowed"]);
        expect(json.error.message).toContain(why);
      },
    );
  });

  test("the list of models is paged by the query", async () => {
    const all = idsOf((await get("")).json);
    const { json } = await get("", { query: { limit: "1", after_id: all[0] as string } });
    expect(json).toMatchObject({ has_more: true, first_id: all[1], last_id: all[1] });
    expect((await get("", { query: { limit: "0" } })).status).toBe(400);
  });
});

describe("one model", () => {
  test("one model is found by its id, and by an alias under its id", async () => {
    expect((await get("/claude-sonnet-5")).json.id).toBe("claude-sonnet-5");
    const aliased = await get("/claude-haiku-4-5-20251001");
    expect([aliased.status, aliased.json.id]).toEqual([200, "claude-haiku-4-5"]);
  });

  test("one model is found by a percent-encoded id", async () => {
    expect((await get("/claude%2Dsonnet%2D5")).json.id).toBe("claude-sonnet-5");
  });

  test.each(["/gpt-4", "/%", "/%E0%A4%A"])("the model %s is not found", async (path) => {
    const { status, json } = await get(path);
    expect([status, json.error.type]).toEqual([404, "not_found_error"]);
  });

  test("a model outside the grant is not found", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: ["claude-haiku-4-5"] }));
    expect((await get("/claude-sonnet-5")).status).toBe(404);
  });
});

describe("asking for models", () => {
  test.each(["", "/claude-sonnet-5"])("listing models makes only the steps up to the grant: models%s", async (path) => {
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

  test("listing models requires the edge's secret", async () => {
    expect((await get("", { headers: { "x-origin-secret": "wrong" } })).status).toBe(404);
  });
});

const fiveModels = ["e", "d", "c", "b", "a"].map((id) => ({ id }) as Model);
const page = (parameters: Record<string, string | undefined> = {}) => {
  const { data, ...rest } = pageOfModels(fiveModels, parameters);
  return { ids: data.map(({ id }) => id).join(""), ...rest };
};

test("the list of models without parameters has the first twenty", () => {
  expect(page()).toEqual({ ids: "edcba", has_more: false, first_id: "e", last_id: "a" });
  const many = Array.from({ length: 21 }, (_, id) => ({ id: String(id) }) as Model);
  expect(pageOfModels(many, {})).toMatchObject({ has_more: true, last_id: "19" });
});

describe("pages", () => {
  test("pages of models continue after an id", () => {
    expect(page({ limit: "2" })).toEqual({ ids: "ed", has_more: true, first_id: "e", last_id: "d" });
    expect(page({ limit: "2", after_id: "d" })).toEqual({ ids: "cb", has_more: true, first_id: "c", last_id: "b" });
    expect(page({ limit: "2", after_id: "b" })).toEqual({ ids: "a", has_more: false, first_id: "a", last_id: "a" });
    expect(page({ after_id: "a" })).toEqual({ ids: "", has_more: false, first_id: null, last_id: null });
  });

  test("pages of models can also end just before an id", () => {
    expect(page({ limit: "2", before_id: "b" })).toEqual({ ids: "dc", has_more: true, first_id: "d", last_id: "c" });
    expect(page({ limit: "2", before_id: "d" })).toEqual({ ids: "e", has_more: false, first_id: "e", last_id: "e" });
  });

  test("pages of models can lie between two ids", () => {
    expect(page({ after_id: "e", before_id: "b" })).toMatchObject({ ids: "dc", has_more: false });
    expect(page({ after_id: "b", before_id: "e" })).toMatchObject({ ids: "", has_more: false });
  });

  test("pages of models show every model once, forwards and backwards", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), (limit) => {
        let forward = "";
        for (let after: string | undefined; ; ) {
          const { ids, has_more, last_id } = page({ limit: String(limit), after_id: after });
          forward += ids;
          if (!has_more) break;
          after = last_id ?? undefined;
        }
        let back = "";
        for (let before = "a"; ; ) {
          const { ids, has_more, first_id } = page({ limit: String(limit), before_id: before });
          back = ids + back;
          if (!has_more) break;
          before = first_id ?? "";
        }
        expect([forward, back]).toEqual(["edcba", "edcb"]);
      }),
    );
  });
});

test.each([
  [{ limit: "0" }, "limit: must be a whole number from 1 to 1000"],
  [{ limit: "1001" }, "limit: must be a whole number from 1 to 1000"],
  [{ limit: "ten" }, "limit: must be a whole number from 1 to 1000"],
  [{ limit: "1,2" }, "limit: must be a whole number from 1 to 1000"],
  [{ limit: "-1" }, "limit: must be a whole number from 1 to 1000"],
  [{ after_id: "z" }, "after_id: must be the id of a model"],
  [{ before_id: "" }, "before_id: must be the id of a model"],
])("the query %j of the list of models is refused", (parameters, words) => {
  expect(() => page(parameters)).toThrow(words);
});

test("unknown parameters of the list of models are ignored", () => {
  expect(page({ beta: "true", lifecycle: "active" }).ids).toBe("edcba");
});

test("a caller without models gets an empty page, and every id is not found", () => {
  expect(pageOfModels([], {})).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  expect(() => pageOfModels([], { after_id: "a" })).toThrow("after_id");
});
