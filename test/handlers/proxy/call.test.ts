// What metrics and the log say of a call: as much as is known of it when it ends.
import { beforeEach, describe, expect, test } from "@jest/globals";
import { ModelHostError } from "../../../domain/messages/model-host.ts";
import { tenantId } from "../../support/accounting/admissions.ts";
import { openProxy, question, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
});

const headers = { "x-code-session-id": "session-1" };
const known = { endpoint: "messages", session_id: "session-1" };
const caller = { tenant_id: tenantId, caller_id: "dev" };
const route = { model: "claude-sonnet-5", region: "eu-central-1" };

describe("a refusal is told with what is known of the call", () => {
  test.each([
    ["without a credential", { headers: { ...headers, authorization: undefined } }, known],
    ["with a bad body", { headers, body: {} }, { ...known, ...caller }],
    ["for an unknown model", { headers, body: { ...question, model: "x" } }, { ...known, ...caller }],
    ["for too many tokens", { headers, body: { ...question, max_tokens: 10 ** 6 } }, { ...known, ...caller, ...route }],
  ])("a refusal of the proxy is logged with the known facts of the call: %s", async (_name, request, facts) => {
    const { requestId } = await proxy.ask(request);
    expect(proxy.refusalFacts).toEqual([{ request_id: requestId, ...facts }]);
  });

  test("a failure of the proxy is logged with the facts of its call", async () => {
    proxy.host.play.invoke = async () => {
      throw new ModelHostError("throttled", "slow down");
    };
    const { requestId } = await proxy.ask({ headers });
    const facts = { request_id: requestId, ...known, ...caller, ...route };
    expect(proxy.refusalFacts).toEqual([facts]);
    expect(proxy.lines).toMatchObject([{ message: "upstream_overloaded", facts }]);
  });

  test("a call for a model that the host has retired is logged as such, so that the operator removes it from the catalog", async () => {
    proxy.host.play.invoke = async () => {
      throw new ModelHostError("retired", "end of its life");
    };
    await proxy.ask({ headers });
    expect(proxy.lines).toMatchObject([{ message: "model_unknown", facts: route }]);
  });

  test("a refusal of an unknown path is logged only with the request's id", async () => {
    const { requestId } = await proxy.ask({ path: "/vendor/v1/nothing" });
    expect(proxy.refusalFacts).toEqual([{ request_id: requestId }]);
  });
});

test.each(["", "/claude-sonnet-5"])("GET /models%s is logged with its session", async (id) => {
  const { requestId } = await proxy.ask({ method: "GET", path: `/vendor/v1/models${id}`, headers });
  expect(proxy.finished).toEqual([
    {
      facts: { request_id: requestId, endpoint: "models", session_id: "session-1", ...caller },
      measures: { duration_ms: 0 },
    },
  ]);
});

test.each(["ar_live_abcdefghijkl_secret", "eyJhbGciOiJub25lIn0.e30."])(
  "a credential that is sent as a session is not logged: %s",
  async (id) => {
    await proxy.ask({ headers: { "x-code-session-id": id } });
    expect(proxy.finished[0]?.facts.session_id).toBeUndefined();
  },
);
