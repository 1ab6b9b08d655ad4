// The sixteen steps in their order: a request that fails two of them is refused by the earlier one.
import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { mintApiKey } from "../../../domain/access/key-text.ts";
import { Refusal, type RefusalCode } from "../../../domain/kernel/refusal.ts";
import { ModelHostError } from "../../../domain/messages/model-host.ts";
import { refusalForms } from "../../../handlers/middleware/refusal-form.ts";
import { aGrant, aTenant, tenantId } from "../../support/accounting/admissions.ts";
import { openProxy, type ProxyRequest, proxyToken, question, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
});

/** What goes wrong: in the request, in its token, or around it. */
type Trouble = {
  step: string;
  code: RefusalCode;
  request?: Partial<ProxyRequest>;
  claims?: Parameters<typeof proxyToken>[0];
  body?: object;
  platform?: (proxy: TestProxy) => void;
};

const suspended = aTenant({ status: "suspended" });
const otherTenant = "22222222-2222-4222-8222-222222222222";
const spendingKey = { tenantId, callerId: "dev", month: "2026-11" };

const troubles: Trouble[] = [
  { step: "0 origin", code: "tenant_unknown", request: { headers: { "x-origin-secret": "wrong" } } },
  { step: "1 host", code: "tenant_unknown", request: { host: "acme.example.com" } },
  { step: "2 tenant", code: "tenant_unknown", platform: ({ tenants }) => tenants.delete("acme") },
  { step: "3 status", code: "tenant_suspended", platform: ({ tenants }) => tenants.set("acme", suspended) },
  { step: "4 credential", code: "credential_missing", request: { headers: { authorization: undefined } } },
  { step: "5 match", code: "tenant_mismatch", claims: { tenant_id: otherTenant } },
  { step: "6 scope", code: "scope_missing", claims: { scope: "openid" } },
  { step: "7 grant", code: "grant_missing", platform: ({ grants }) => grants.clear() },
  { step: "7b body", code: "invalid_request", body: { max_tokens: "many" } },
  { step: "8 model", code: "model_unknown", body: { model: "gpt-4" } },
  {
    step: "9 availability",
    code: "region_not_allowed",
    body: { model: "claude-sonnet-4-6" },
    request: { headers: { "x-platform-region": "eu-central-2" } },
  },
  { step: "10 region", code: "region_not_allowed", request: { headers: { "x-platform-region": "mars-1" } } },
  {
    step: "11 cap",
    code: "cap_reached",
    platform: ({ tenants }) =>
      tenants.set("acme", aTenant({ monthly_cap_usd: 5, capped_month: { month: "2026-11", spent: 5_000_000_000 } })),
  },
  {
    step: "11 budget",
    code: "budget_exceeded",
    platform: ({ accounting }) => setSpending(accounting, { spent: 10 ** 12, committed: 10 ** 12 }),
  },
  {
    step: "11 credit",
    code: "credit_exhausted",
    platform: ({ tenants }) => tenants.set("acme", aTenant({ has_payment_method: false })),
  },
  {
    step: "11 reserved",
    code: "budget_reserved",
    platform: ({ accounting }) => setSpending(accounting, { spent: 1, committed: 10 ** 12 }),
  },
  {
    step: "12 concurrency",
    code: "concurrency_limited",
    platform: ({ accounting }) => setSpending(accounting, { inflight: 64 }),
  },
  {
    step: "12 rate",
    code: "rate_limited",
    platform: ({ accounting, time }) => setSpending(accounting, { tat: (time.clock() + 6_000) * 1_000 }),
  },
  {
    step: "13 role",
    code: "upstream_failed",
    platform: ({ host }) => {
      host.play.invoke = async () => {
        throw new ModelHostError("denied", "AccessDenied");
      };
    },
  },
];

function setSpending(accounting: TestProxy["accounting"], attributes: object): void {
  accounting.set(spendingKey, attributes);
}

/** A request with each of these troubles. */
async function askWith(...given: Trouble[]) {
  for (const { platform } of given) platform?.(proxy);
  const headers: Record<string, string | undefined> = {
    authorization: `Bearer ${proxyToken(Object.assign({}, ...given.map(({ claims }) => claims)))}`,
  };
  for (const { request } of given) Object.assign(headers, request?.headers);
  const request = Object.assign({}, ...given.map(({ request }) => request)) as ProxyRequest;
  return proxy.ask({
    ...request,
    headers,
    body: { ...question, ...Object.assign({}, ...given.map(({ body }) => body)) },
  });
}

describe("alone", () => {
  test.each(troubles)("a fault at step $step is refused as $code", async (trouble) => {
    const { status, json } = await askWith(trouble);
    expect([status, json.error.details.error_code]).toEqual([refusalForms[trouble.code].status, trouble.code]);
  });

  test("a call without faults is not refused", async () => {
    expect((await askWith()).status).toBe(200);
  });
});

const pairs = troubles.flatMap((first, index) => troubles.slice(index + 1).map((second) => [first, second] as const));

test.each(pairs.map(([first, second]) => ({ first, second, name: `${first.step} before ${second.step}` })))(
  "an earlier step of the proxy takes precedence over a later one: $name",
  async ({ first, second }) => {
    const { json } = await askWith(second, first);
    expect(json.error.details.error_code).toBe(first.code);
  },
);

test("a refusal before step 14 costs nothing and reaches no model host", async () => {
  for (const trouble of troubles.slice(0, -1)) {
    proxy = openProxy();
    const { requestId } = await askWith(trouble);
    expect(proxy.host.calls).toEqual([]);
    expect(proxy.rowOf(requestId)).toBeUndefined();
    expect(proxy.spendingOf().reservations).toEqual([]);
  }
});

/** They exclude each other: which one it is depends on the grant. */
test("step 8 refuses a model as model_not_allowed to a caller with a list of models, whether or not the model exists", async () => {
  for (const model of ["claude-sonnet-5", "gpt-4"]) {
    proxy = openProxy();
    proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: ["claude-haiku-4-5"] }));
    const { status, json, headers } = await askWith({ step: "", code: "model_not_allowed", body: { model } });
    expect([status, json.error.type, json.error.details.error_code, headers["x-should-retry"]]).toEqual([
      403,
      "permission_error",
      "model_not_allowed",
      "false",
    ]);
  }
});

describe("every refusal", () => {
  test("every refusal has the error shape, the request's id in body and header, and its retry advice", async () => {
    for (const trouble of troubles) {
      proxy = openProxy();
      const { status, headers, json, requestId } = await askWith(trouble);
      const {
        status: expected,
        type,
        ...rest
      } = refusalForms[trouble.code] as { status: number; type: string; shouldRetry?: false };
      expect(status).toBe(expected);
      expect(json).toEqual({
        type: "error",
        error: { type, message: expect.any(String), details: expect.objectContaining({ error_code: trouble.code }) },
        request_id: requestId,
      });
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "request-id": requestId,
      });
      expect(headers["x-should-retry"]).toBe(rest.shouldRetry === false ? "false" : undefined);
    }
  });

  test("every refusal is counted by its code", async () => {
    await askWith(troubles[4] as Trouble);
    expect(proxy.refused).toEqual(["credential_missing"]);
  });

  test("every refusal hides other tenants and the request's content", async () => {
    const secret = "ar_live_secret";
    const { text } = await proxy.ask({ headers: { authorization: `Bearer ${secret}` }, body: { x: secret } });
    expect(text).not.toContain(secret);
    const foreign = await askWith({ step: "", code: "tenant_mismatch", claims: { tenant_id: otherTenant } });
    expect(foreign.text).not.toMatch(/Acme|acme|1111|2222/);
  });
});

describe("retry-after", () => {
  test("the header retry-after is missing for a spent budget, which has its own header, and is short for other refusals", async () => {
    const spent = await askWith(troubles.find(({ code }) => code === "budget_exceeded") as Trouble);
    expect(spent.headers).not.toHaveProperty("retry-after");
    expect(spent.headers["x-budget-reset"]).toBe("2026-12-01T00:00:00.000Z");
    expect(spent.json.error.message).toContain("2026-12-01T00:00:00.000Z");
    proxy = openProxy();
    const credit = await askWith(troubles.find(({ code }) => code === "credit_exhausted") as Trouble);
    for (const name of ["retry-after", "x-budget-reset"]) expect(credit.headers).not.toHaveProperty(name);
    proxy = openProxy();
    const fast = await askWith(troubles.find(({ code }) => code === "rate_limited") as Trouble);
    expect(Number(fast.headers["retry-after"])).toBe(1);
  });

  test.each(["throttled", "unavailable", "timeout"] as const)(
    "the header retry-after is sent if the model host is %s",
    async (failure) => {
      proxy.host.play.invoke = async () => {
        throw new ModelHostError(failure, "x");
      };
      expect((await proxy.ask()).headers["retry-after"]).toBe("5");
    },
  );
});

test.each([402, 429] as const)("a stack can answer %i for a spent budget", async (budgetStatus) => {
  for (const code of ["budget_exceeded", "credit_exhausted", "rate_limited"]) {
    proxy = openProxy({}, { budgetStatus });
    const { status } = await askWith(troubles.find((trouble) => trouble.code === code) as Trouble);
    expect(status).toBe(code === "rate_limited" ? 429 : budgetStatus);
  }
});

describe("Claude Code, which repeats each 403 for minutes,", () => {
  const agent = { "user-agent": "claude-cli/2.1.330 (external, cli)" };
  const final = troubles.filter(({ code }) => refusalForms[code].status === 403 || code === "tenant_unknown");

  test.each(final)(
    "Claude Code, which repeats each 403 for minutes, is answered with 409 at step $step: $code",
    async (trouble) => {
      const request = { ...trouble.request, headers: { ...agent, ...trouble.request?.headers } };
      const { status, json, headers } = await askWith({ ...trouble, request });
      expect([status, json.error.type, headers["x-should-retry"]]).toEqual([
        409,
        refusalForms[trouble.code].type,
        "false",
      ]);
    },
  );

  test("Claude Code gets the usual 401, which another token can cure, and the usual 404 for an unknown model", async () => {
    for (const code of ["credential_missing", "model_unknown"] as const) {
      proxy = openProxy();
      const trouble = troubles.find((each) => each.code === code) as Trouble;
      const { status } = await askWith({ ...trouble, request: { headers: { ...agent, ...trouble.request?.headers } } });
      expect(status).toBe(refusalForms[code].status);
    }
  });

  test("Claude Code is answered like other clients if the stack says so", async () => {
    proxy = openProxy({}, { assistantStatus: 403 });
    proxy.tenants.set("acme", suspended);
    expect((await proxy.ask({ headers: agent })).status).toBe(403);
  });
});

describe("a refusal's words", () => {
  const messageOf = async (request: Partial<ProxyRequest>) => (await proxy.ask(request)).json.error.message;

  test("the message of each 401 says which workspace's address it is, and where to get a credential", async () => {
    const expired = await proxy.issueKey({ expires_at: "2026-11-20T00:00:00.000Z" });
    const advice =
      /\. This is the address of the workspace "acme"\. .*ar_live_.*https:\/\/console\.localhost; .*archway login\.$/;
    for (const value of [undefined, "sk-ant-api03-x", expired]) {
      const { json } = await proxy.ask({ headers: { authorization: undefined, "x-api-key": value } });
      expect(json.error.message).toMatch(advice);
    }
  });

  test("the message of a 401 tells a caller with a token to sign in again", async () => {
    const { json } = await proxy.ask({ headers: { authorization: "Bearer eyJhbGciOiJub25lIn0.e30.x" } });
    expect(json.error.message).toMatch(/ workspace "acme"\. Sign in again: archway login\.$/);
  });

  test("the message of a refusal at an address without a workspace names the address, and says where to find the right one", async () => {
    const { status, json } = await proxy.ask({ host: "nobody.proxy.localhost" });
    expect([status, json.error]).toMatchObject([404, { type: "tenant_not_found" }]);
    expect(json.error.message).toMatch(/^No workspace answers at address "nobody\.proxy\.localhost"\. .*archway setup/);
  });

  test.each([
    ["/vendor/v1/v1/messages", /^There is nothing at .*: leave \/v1 out of the base URL/],
    ["/vendor/messages", /: the base URL of this client ends in \/v1$/],
    ["/v1/messages", /: the base URL ends in \/vendor/],
    ["//v1/messages", /: the base URL ends in \/vendor/],
    ["/vendor/v1//v1/messages", /: leave \/v1 out of the base URL/],
    ["/vendor//messages", /: the base URL of this client ends in \/v1$/],
    ["/vendor//v1/messages", /: the base URL ends without a slash$/],
    ["/elsewhere", /^There is nothing at \/elsewhere$/],
  ])("the message of a refusal at %s says what is wrong with the base URL", async (path, words) => {
    expect(await messageOf({ path })).toMatch(words);
  });

  test("the message of a refused model names the requested and the allowed models", async () => {
    const body = (model: string) => ({ body: { ...question, model } });
    expect(await messageOf(body("gpt-4"))).toMatch(
      /^The model "gpt-4" does not exist here\. Allowed: claude-.*, claude-/,
    );
    proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_models: ["claude-haiku-4-5"] }));
    proxy.time.advance(61_000);
    for (const model of ["gpt-4", "claude-sonnet-5"]) {
      const { status, json } = await proxy.ask(body(model));
      expect([status, json.error.message]).toEqual([
        403,
        `The model "${model}" is not in your grant. Allowed: claude-haiku-4-5.`,
      ]);
    }
  });

  test("the message of a refused region names the requested and the allowed regions", async () => {
    expect(await messageOf({ headers: { "x-platform-region": "mars-1" } })).toMatch(
      /^The region "mars-1" does not exist here\. Allowed for this model and caller: eu-central-1/,
    );
  });

  test("the message about a suspended workspace says what the owner can do, without naming the owner", async () => {
    proxy.tenants.set("acme", suspended);
    expect(await messageOf({ headers: { authorization: undefined } })).toBe(
      "This workspace is suspended. Its owner finds the reason and what to do in the console, https://console.localhost.",
    );
    proxy = openProxy();
    proxy.tenants.set("acme", aTenant({ status: "deleted" }));
    expect(await messageOf({})).toBe("This workspace is deleted; its address answers no more.");
  });
});

describe("a store that is down", () => {
  test.each(["admit"] as const)(
    "an outage of the store at %s is answered with 503 and the advice to retry",
    async (call) => {
      proxy.accounting.disturb = (made) => {
        if (made === call) throw new Refusal("store_unavailable", "down", { retryAfterSeconds: 1 });
      };
      const { status, json, headers } = await proxy.ask();
      expect([status, json.error.type, headers["retry-after"]]).toEqual([503, "overloaded_error", "1"]);
      expect(proxy.host.calls).toEqual([]);
    },
  );
});

test("an unexpected error is answered with 500 and reveals nothing", async () => {
  proxy.tenants.get = () => {
    throw new TypeError("secret detail");
  };
  const { status, text } = await proxy.ask();
  expect(status).toBe(500);
  expect(text).not.toContain("secret");
  expect(proxy.refused).toEqual(["internal"]);
});

describe("the credential", () => {
  const authorized = (headers: Record<string, string | undefined>) =>
    proxy.ask({ headers: { authorization: undefined, ...headers } });

  test("the credential of a call may be a token or a key, in either header", async () => {
    const key = await proxy.issueKey();
    for (const value of [proxyToken(), key]) {
      expect((await authorized({ authorization: `Bearer ${value}` })).status).toBe(200);
      expect((await authorized({ "x-api-key": value })).status).toBe(200);
    }
  });

  test("the credential of a call is refused as expired, or as invalid, as 401", async () => {
    for (const value of ["junk", "Bearer", "ar_live_short", "eyJ.only.two.three.four"]) {
      const { status, json } = await authorized({ "x-api-key": value });
      expect([status, json.error.type]).toEqual([401, "authentication_error"]);
    }
    const expired = await proxy.issueKey({ expires_at: "2026-11-20T00:00:00.000Z" });
    expect((await authorized({ "x-api-key": expired })).json.error.details.error_code).toBe("credential_expired");
    const revoked = await proxy.issueKey({ status: "revoked" });
    expect((await authorized({ "x-api-key": revoked })).json.error.details.error_code).toBe("credential_invalid");
  });

  test("a token of an ended sign-in is refused within a minute; the person's keys and later sign-ins are accepted", async () => {
    const now = proxy.time.clock();
    const authorization = `Bearer ${proxyToken({ auth_time: now / 1000 - 1 })}`;
    expect((await authorized({ authorization })).status).toBe(200);
    proxy.signOuts.set("dev", now);
    await proxy.time.advance(60_000);
    const refused = await authorized({ authorization });
    expect([refused.status, refused.json.error.details.error_code]).toEqual([401, "credential_ended"]);
    expect(refused.json.error.message).toMatch(/^This sign-in was ended at 2026-.*Sign in again: archway login\.$/);
    expect(refused.headers["x-should-retry"]).toBe("false");
    const later = `Bearer ${proxyToken({ auth_time: now / 1000 })}`;
    expect((await authorized({ authorization: later })).status).toBe(200);
    const key = await proxy.issueKey({ role: "developer", caller_id: "dev", grant: undefined });
    expect((await authorized({ "x-api-key": key })).status).toBe(200);
  });

  test("a credential of another tenant is refused in the same way, whatever its kind", async () => {
    const key = await proxy.issueKey({ tenant_id: otherTenant });
    const byKey = await authorized({ "x-api-key": key });
    const byToken = await authorized({ authorization: `Bearer ${proxyToken({ tenant_id: otherTenant })}` });
    const byNobody = await authorized({ authorization: `Bearer ${proxyToken({ tenant_id: undefined })}` });
    const words = [byKey, byToken, byNobody].map(({ status, json }) => [status, json.error]);
    expect(words).toEqual(Array(3).fill([403, byKey.json.error]));
  });

  test("a key is accepted while the key set cannot be fetched; a call with only a token is told to retry", async () => {
    const authorization = `Bearer ${proxyToken({ client_id: "outage" })}`;
    const key = await proxy.issueKey();
    expect((await authorized({ authorization, "x-api-key": key })).status).toBe(200);
    for (const unproven of [
      { authorization },
      { authorization, "x-api-key": mintApiKey("live", "unknown", randomBytes).key },
    ]) {
      const { status, json, headers } = await authorized(unproven);
      expect([status, json.error.details.error_code]).toEqual([503, "identity_unavailable"]);
      expect([headers["retry-after"], headers["x-should-retry"]]).toEqual(["1", undefined]);
    }
  });

  test("the owner can call models without a grant, and everybody else needs a grant", async () => {
    proxy.grants.clear();
    expect((await authorized({ authorization: `Bearer ${proxyToken({ sub: "owner" })}` })).status).toBe(200);
    expect((await authorized({ authorization: `Bearer ${proxyToken()}` })).status).toBe(403);
  });
});

describe("the region", () => {
  const regionOf = async (headers: Record<string, string> = {}) => {
    await proxy.ask({ headers });
    return proxy.host.calls.at(-1)?.region;
  };

  test("the region of a call comes from the header, else from the grant, else from the tenant", async () => {
    expect(await regionOf()).toBe("eu-central-1");
    proxy = openProxy();
    proxy.grants.set(`${tenantId} dev`, aGrant({ default_region: "eu-central-2" }));
    expect(await regionOf()).toBe("eu-central-2");
    expect(await regionOf({ "x-platform-region": "us-east-1" })).toBe("us-east-1");
  });

  test("a region that is not allowed is refused with the allowed ones, and never replaced", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ allowed_regions: ["eu-central-1"] }));
    const { status, json } = await proxy.ask({ headers: { "x-platform-region": "us-east-1" } });
    expect([status, json.error.message]).toEqual([403, expect.stringContaining("eu-central-1")]);
    const empty = await proxy.ask({ headers: { "x-platform-region": "" } });
    expect(empty.status).toBe(403);
  });
});
