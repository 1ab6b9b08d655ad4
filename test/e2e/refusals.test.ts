// The error table as a client meets it through the edge: status, type, code and headers of each row. The stack answers 402
// to what is spent; the other suites have the default, 429.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { creditRecord } from "../../adapters/dynamodb/budget/credit.record.ts";
import { tenantRecord } from "../../adapters/dynamodb/workspace/tenant.record.ts";
import type { RefusalCode } from "../../domain/kernel/refusal.ts";
import { freeCreditTokens } from "../../domain/workspace/tenant.ts";
import { consoleToken } from "../../local/demo/app-client.ts";
import { callControlPlane, openWorkspace, signUp } from "../../local/demo/workspace.ts";
import type { Stack } from "../../local/stack.ts";
import { settled } from "../support/accounting/accounting.ts";
import { updateItem } from "../support/accounting/table-items.ts";
import { startSeeded } from "../support/program/seeded-stack.ts";
import { aServiceAccount, ask, type ClientOptions } from "../support/proxy-client.ts";

let stack: Stack;
/** A workspace of its own, without a payment method. */
let free: { tenant_id: string; slug: string; key: string };

beforeAll(async () => {
  stack = await startSeeded({ config: { "archway:budgetStatus": "402" } });
  const owner = await signUp(stack, "owner@other.example");
  const workspace = await openWorkspace(stack, owner, "Other");
  const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 10 };
  const body = { name: "CI", kind: "service_account", grant };
  const token = await consoleToken(stack, owner);
  const { key } = (await callControlPlane(stack, token, "POST", "/v1/keys", body)) as { key: string };
  free = { ...workspace, key };
});
afterAll(() => stack.stop());

type Row = {
  name: string;
  status: number;
  type: string;
  code: RefusalCode;
  message: RegExp;
  /** Of `error.details`, if it is there. */
  unsupported?: string[];
  fields?: { path: string; message: string }[];
  /** Of `x-should-retry`, `retry-after` and `x-budget-reset`; those not named are not there. */
  headers?: Record<string, unknown>;
  act: () => Promise<Response>;
};

const never = { "x-should-retry": "false" };
const asked = (changes: object, options: ClientOptions = {}) => ask(stack, changes, options);

/** What a caller with this grant is told after a first call. */
async function second(grant: object): Promise<Response> {
  const { key } = await aServiceAccount(stack, grant);
  await (await asked({}, { key })).text();
  await settled(stack);
  return asked({}, { key });
}

const rows: Row[] = [
  {
    name: "a wrong key",
    ...{ status: 401, type: "authentication_error", code: "credential_invalid", headers: never },
    message: /workspace "acme"\. .*console, http:\/\/console\.localhost:\d+; .*archway login/,
    act: () => asked({}, { key: "sk-ant-api03-of-the-vendor" }),
  },
  {
    name: "no credential",
    ...{ status: 401, type: "authentication_error", code: "credential_missing", headers: never },
    message: /workspace "acme"/,
    act: () => asked({}, { key: "" }),
  },
  {
    name: "another workspace's key",
    ...{ status: 403, type: "permission_error", code: "tenant_mismatch", headers: never },
    message: /^The credential is not valid for this address\. archway login and /,
    act: () => asked({}, { key: free.key }),
  },
  {
    name: "a model outside of the grant",
    ...{ status: 403, type: "permission_error", code: "model_not_allowed", headers: never },
    message: /"claude-sonnet-5".* Allowed: claude-haiku-4-5\.$/,
    act: async () => asked({}, { key: (await aServiceAccount(stack, { allowed_models: ["claude-haiku-4-5"] })).key }),
  },
  {
    name: "a model that nobody has",
    ...{ status: 404, type: "not_found_error", code: "model_unknown" },
    message: /"claude-9".* Allowed: claude-/,
    act: () => asked({ model: "claude-9" }),
  },
  {
    name: "a region outside of the grant",
    ...{ status: 403, type: "permission_error", code: "region_not_allowed", headers: never },
    message: /eu-central-2 .* Allowed for this model and caller: eu-central-1, us-east-1\.$/,
    act: async () =>
      asked({}, { key: (await aServiceAccount(stack)).key, headers: { "x-platform-region": "eu-central-2" } }),
  },
  {
    name: "an unknown host",
    ...{ status: 404, type: "tenant_not_found", code: "tenant_unknown", headers: never },
    message: /^No workspace answers at address "nobody\.proxy\.localhost"/,
    act: () => asked({}, { slug: "nobody" }),
  },
  {
    name: "a base URL with /v1 twice",
    ...{ status: 404, type: "not_found_error", code: "not_found", headers: never },
    message: /leave \/v1 out of the base URL/,
    act: () => asked({}, { path: "/vendor/v1/v1/messages" }),
  },
  {
    name: "a region outside of the grant, asked for by Claude Code",
    ...{ status: 409, type: "permission_error", code: "region_not_allowed", headers: never },
    message: /eu-central-2 .* Allowed/,
    act: async () => {
      const headers = { "x-platform-region": "eu-central-2", "user-agent": "claude-cli/2.1.330 (external, cli)" };
      return asked({}, { key: (await aServiceAccount(stack)).key, headers });
    },
  },
  {
    name: "a bad body",
    ...{ status: 400, type: "invalid_request_error", code: "invalid_request" },
    message: /^max_tokens: /,
    fields: [{ path: "max_tokens", message: "must be a whole number from 1" }],
    act: () => asked({ max_tokens: "many" }),
  },
  {
    name: "a place in the body",
    ...{ status: 400, type: "invalid_request_error", code: "invalid_request" },
    message: /^inference_geo: .* with the header x-platform-region$/,
    unsupported: ["inference_geo"],
    act: () => asked({ inference_geo: "us" }),
  },
  {
    name: "a large body",
    ...{ status: 413, type: "request_too_large", code: "request_too_large" },
    message: /6225920 bytes/,
    act: () => asked({ system: "x".repeat(6_300_000) }),
  },
  {
    name: "a spent budget",
    ...{ status: 402, type: "billing_error", code: "budget_exceeded" },
    headers: { ...never, "x-budget-reset": expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/) },
    message: /resets at \d{4}-\d\d-01T/,
    act: () => second({ monthly_budget_usd: 0.000001 }),
  },
  {
    name: "a spent credit",
    ...{ status: 402, type: "billing_error", code: "credit_exhausted", headers: never },
    message: /does not come back/,
    act: async () => {
      const all = { ":all": { N: String(freeCreditTokens) } };
      await updateItem(
        stack,
        creditRecord.key({ tenant_id: free.tenant_id }),
        "SET spent = :all, committed = :all",
        all,
      );
      return asked({}, free);
    },
  },
  {
    name: "too many requests",
    ...{ status: 429, type: "rate_limit_error", code: "rate_limited" },
    headers: { "retry-after": expect.stringMatching(/^([1-9]|[1-5]\d|60)$/) },
    message: /a burst of 1, refilled by 1 a minute/,
    act: () => second({ rate_limit: { burst: 1, per_minute: 1 } }),
  },
  {
    name: "batches",
    ...{ status: 501, type: "not_supported", code: "batches_unavailable", headers: never },
    message: /batch/,
    act: () => asked({}, { path: "/vendor/v1/messages/batches" }),
  },
  {
    name: "a model host that breaks",
    ...{ status: 502, type: "api_error", code: "upstream_failed" },
    message: /./,
    act: () => {
      stack.bedrock.fail({ error: "ModelErrorException" });
      return asked({});
    },
  },
  {
    name: "a model host that throttles",
    ...{ status: 503, type: "overloaded_error", code: "upstream_overloaded", headers: { "retry-after": "5" } },
    message: /./,
    act: () => {
      stack.bedrock.fail({ error: "ThrottlingException" });
      return asked({});
    },
  },
  // Last: nothing of this workspace answers after it.
  {
    name: "a suspended workspace",
    ...{ status: 403, type: "tenant_suspended", code: "tenant_suspended", headers: never },
    message: /^This workspace is suspended\. Its owner finds .* console, http:\/\/console\.localhost:\d+\.$/,
    act: async () => {
      const status = { ":status": { S: "suspended" } };
      await updateItem(stack, tenantRecord.key({ tenant_id: free.tenant_id }), "SET #status = :status", status, {
        "#status": "status",
      });
      stack.clock.advance(61_000);
      return asked({}, free);
    },
  },
];

test.each(rows)(
  'the refusal "$name" has the status $status and the code $code',
  async ({ status, type, code, message, unsupported, fields, headers = {}, act }) => {
    const response = await act();
    const body = await response.json();
    expect([response.status, body]).toEqual([
      status,
      {
        type: "error",
        error: {
          type,
          message: expect.stringMatching(message),
          details: { error_code: code, ...(unsupported && { unsupported }), ...(fields && { fields }) },
        },
        request_id: response.headers.get("request-id"),
      },
    ]);
    const told = ["x-should-retry", "retry-after", "x-budget-reset"].filter((name) => response.headers.has(name));
    expect(Object.fromEntries(told.map((name) => [name, response.headers.get(name)]))).toEqual(headers);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  },
);
