import { beforeEach, describe, expect, test } from "@jest/globals";
import { ModelHostError } from "../../../domain/messages/model-host.ts";
import { aGrant, tenantId } from "../../support/admissions.ts";
import { failureStatuses, openProxy, type ProxyRequest, question, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
});

/** The one model whose tokens the host counts. */
const counted = { model: "claude-sonnet-4-6", messages: question.messages };
const count = (request: ProxyRequest = {}) =>
  proxy.ask({ path: "/vendor/v1/messages/count_tokens", body: counted, ...request });

describe("counting", () => {
  test("answers with the model host's number", async () => {
    proxy.host.play.countTokens = async () => 1_234;
    const { status, headers, json, requestId } = await count();
    expect([status, json]).toEqual([200, { input_tokens: 1_234 }]);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "request-id": requestId,
    });
  });

  test("asks for the model that counts, as the caller, in the caller's region, with the client's versions", async () => {
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
      anthropic_version: "bedrock-2023-05-31",
      max_tokens: expect.any(Number),
      messages: question.messages,
      system: "s",
    });
  });

  test("reserves and costs nothing, however little the budget has left", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ monthly_budget_usd: 0.000_001 }));
    const { requestId, status } = await count();
    expect(status).toBe(200);
    expect(proxy.rowOf(requestId)).toBeUndefined();
    expect(proxy.spendingOf()).toMatchObject({ spent: 0, committed: 0, inflight: 0, reservations: [] });
    expect(proxy.finished.map(({ measures }) => measures)).toEqual([{ duration_ms: 0 }]);
    expect(proxy.time.waiting).toBe(0);
  });

  test("counts against the caller's rate, like a message", async () => {
    proxy = openProxy({}, { defaultLimits: { maxInFlight: 64, rate: { burst: 2, perMinute: 600 } } });
    const statuses = [await count(), await proxy.ask(), await count()].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(proxy.host.calls).toHaveLength(2);
  });
});

describe("a model that the host cannot count for", () => {
  test("is 501 without a guess, and takes nothing of the rate", async () => {
    const { status, headers, json } = await count({ body: { ...counted, model: "claude-sonnet-5" } });
    expect([status, json.error.type, headers["x-should-retry"]]).toEqual([501, "not_supported", "false"]);
    expect([proxy.accounting.calls, proxy.host.calls]).toEqual([[], []]);
  });
});

describe("a refusal of the model host", () => {
  test.each(failureStatuses)("that is %s is answered %i without a name of the account's", async (failure, status) => {
    proxy.host.play.countTokens = async () => {
      throw new ModelHostError(failure, "the words of the host");
    };
    const answer = await count();
    expect(answer.status).toBe(status);
    expect(answer.text.includes("the words of the host")).toBe(failure === "rejected");
  });
});
