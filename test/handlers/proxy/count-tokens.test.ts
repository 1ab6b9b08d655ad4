import { beforeEach, describe, expect, test } from "@jest/globals";
import { rejection } from "../../../adapters/bedrock/failures.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { ModelHostError } from "../../../domain/messages/model-host.ts";
import { aGrant, aTenant, tenantId } from "../../support/accounting/admissions.ts";
import { failureStatuses, openProxy, type ProxyRequest, question, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
});

/** Counted where the caller is. */
const counted = { model: "claude-sonnet-4-6", messages: question.messages };
const count = (request: ProxyRequest = {}) =>
  proxy.ask({ path: "/vendor/v1/messages/count_tokens", body: counted, ...request });

describe("counting", () => {
  test("counting tokens answers with the model host's number", async () => {
    proxy.host.play.countTokens = async () => 1_234;
    const { status, headers, json, requestId } = await count();
    expect([status, json]).toEqual([200, { input_tokens: 1_234 }]);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "request-id": requestId,
    });
  });

  test("counting tokens is requested for the model that counts, as the caller, in the caller's region, with the client's versions", async () => {
    await count({
      body: { ...counted, system: "s" },
      headers: { "anthropic-version": "2026-10-21", "x-platform-region": "us-east-1", cookie: "a=b" },
    });
    const [call] = proxy.host.calls;
    expect(call).toMatchObject({
      operation: "countTokens",
      identity: { tenantId, callerId: "dev" },
      region: "us-east-1",
      modelId: "anthropic.claude-sonnet-4-6",
    });
    expect(call?.headers).toEqual({ "anthropic-version": "2026-10-21", "content-type": "application/json" });
    expect(JSON.parse(call?.body ?? "")).toMatchObject({
      max_tokens: expect.any(Number),
      messages: question.messages,
      system: "s",
    });
  });

  test("counting tokens reserves and costs nothing, however little of the budget is left", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ monthly_budget_usd: 0.000_001 }));
    const { requestId, status } = await count();
    expect(status).toBe(200);
    expect(proxy.rowOf(requestId)).toBeUndefined();
    expect(proxy.spendingOf()).toMatchObject({ spent: 0, committed: 0, inflight: 0, reservations: [] });
    expect(proxy.finished.map(({ measures }) => measures)).toEqual([{ duration_ms: 0 }]);
    expect(proxy.time.waiting).toBe(0);
  });

  test("counting tokens counts towards the caller's rate limit, like a message", async () => {
    proxy = openProxy({}, { defaultLimits: { maxInFlight: 64, rate: { burst: 2, perMinute: 600 } } });
    const statuses = [await count(), await proxy.ask(), await count()].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(proxy.host.calls).toHaveLength(2);
  });
});

describe("a model that CountTokens does not serve", () => {
  const newest = { ...counted, model: "claude-opus-5-5" };

  test.each([
    ["eu-central-1", "eu-west-1"],
    ["eu-central-2", "eu-west-1"],
    ["us-east-1", "us-east-1"],
  ])(
    "tokens of a model that CountTokens does not support are counted for a caller in %s by the Messages endpoint in %s",
    async (region, place) => {
      await count({ body: newest, headers: { "x-platform-region": region } });
      const asked = { endpoint: "messages", region: place, modelId: "anthropic.claude-opus-5-5" };
      expect(proxy.host.calls).toEqual([expect.objectContaining(asked)]);
    },
  );

  test.each([
    ["eu-central-1", "us-east-1", "eu-west-1"],
    ["us-east-1", "eu-central-1", "us-east-1"],
  ] as const)(
    "tokens of a model that CountTokens does not support, with a grant for %s, are not counted in %s, but in %s",
    async (allowed, other, place) => {
      proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_regions: [allowed], default_region: allowed }));
      expect((await count({ body: newest, headers: { "x-platform-region": other } })).status).toBe(403);
      expect((await count({ body: newest })).status).toBe(200);
      expect(proxy.host.calls.map(({ region }) => region)).toEqual([place]);
    },
  );
});

describe("a listed flag that the model host refuses", () => {
  test("counting tokens omits a listed flag that the model host refused, for this and later counts", async () => {
    proxy.host.play.countTokens = async ({ betas }) => {
      if (betas.length > 0) throw rejection("invalid beta flag");
      return 7;
    };
    for (const calls of [2, 3]) {
      const { json } = await count({ headers: { "anthropic-beta": "context-management-2025-06-27" } });
      expect([json, proxy.host.calls.length]).toEqual([{ input_tokens: 7 }, calls]);
    }
    expect(proxy.flagsRefused).toEqual([["context-management-2025-06-27"]]);
  });
});

describe("what was left out of a count", () => {
  const body = { ...counted, speed: "fast" };
  const headers = { "anthropic-beta": "new-2027-01-01" };

  test("a left-out field is named with the count, and with a refusal of the model host", async () => {
    expect((await count({ body, headers })).headers["x-archway-dropped"]).toBe("new-2027-01-01, speed");
    expect((await count()).headers).not.toHaveProperty("x-archway-dropped");
    proxy.host.play.countTokens = async () => {
      throw new ModelHostError("rejected", "messages: roles must alternate");
    };
    const refused = await count({ body, headers });
    expect([refused.status, refused.headers["x-archway-dropped"]]).toEqual([400, "new-2027-01-01, speed"]);
  });
});

describe("a caller over its limits", () => {
  test("counting tokens is refused like a message if the caller is over its limits: budget", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ monthly_budget_usd: 0 }));
    const { status, json, headers } = await count();
    expect([status, json.error.type, headers["x-should-retry"]]).toEqual([429, "billing_error", "false"]);
    expect(proxy.host.calls).toEqual([]);
  });

  test("counting tokens is refused like a message if the caller is over its limits: free credit", async () => {
    proxy.tenants.set("acme", aTenant({ has_payment_method: false }));
    const { status, json, headers } = await count();
    expect([status, json.error.type, headers["x-should-retry"]]).toEqual([429, "billing_error", "false"]);
    expect(json.error.details.error_code).toBe("credit_exhausted");
    await proxy.accounting.grant(tenantId);
    expect((await count()).status).toBe(200);
  });
});

describe("a model that the host cannot count for", () => {
  test("counting tokens for a model that the host cannot count is refused with 501, without an estimate and without effect on the rate limit", async () => {
    const models = catalogData.models.map((model) => ({
      ...model,
      capabilities: { ...model.capabilities, count_tokens: "none" as const },
    }));
    proxy = openProxy({ catalog: parseCatalog({ models }) });
    const { status, headers, json } = await count({ body: { ...counted, model: "claude-sonnet-5" } });
    expect([status, json.error.type, headers["x-should-retry"]]).toEqual([501, "not_supported", "false"]);
    expect([proxy.accounting.calls, proxy.host.calls]).toEqual([[], []]);
  });
});

describe("a refusal of the model host", () => {
  test.each(failureStatuses)(
    "a refusal of a count by the model host that is %s is answered with %i, without names of the account",
    async (failure, status) => {
      proxy.host.play.countTokens = async () => {
        throw new ModelHostError(failure, "the words of the host");
      };
      const answer = await count();
      expect(answer.status).toBe(status);
      expect(answer.text.includes("the words of the host")).toBe(failure === "rejected");
    },
  );
});
