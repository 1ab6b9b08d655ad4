import { expect, test } from "@jest/globals";
import {
  errorBody,
  errorHeaders,
  fieldRefusal,
  Refusal,
  type RefusalCode,
  refusals,
  statusOf,
} from "../../../domain/kernel/refusal.ts";

/** The proxy's rows of the error table (design, section 6). */
test.each<[RefusalCode, number, string, boolean]>([
  ["credential_missing", 401, "authentication_error", false],
  ["credential_invalid", 401, "authentication_error", false],
  ["credential_expired", 401, "authentication_error", false],
  ["tenant_suspended", 403, "tenant_suspended", false],
  ["tenant_mismatch", 403, "permission_error", false],
  ["scope_missing", 403, "permission_error", false],
  ["grant_missing", 403, "permission_error", false],
  ["model_not_allowed", 403, "permission_error", false],
  ["model_unknown", 404, "not_found_error", true],
  ["region_not_allowed", 403, "permission_error", false],
  ["not_found", 404, "not_found_error", true],
  ["invalid_request", 400, "invalid_request_error", true],
  ["request_too_large", 413, "request_too_large", true],
  ["budget_exceeded", 429, "billing_error", false],
  ["cap_reached", 429, "billing_error", false],
  ["credit_exhausted", 429, "billing_error", false],
  ["rate_limited", 429, "rate_limit_error", true],
  ["concurrency_limited", 429, "rate_limit_error", true],
  ["budget_reserved", 429, "rate_limit_error", true],
  ["batches_unavailable", 501, "not_supported", false],
  ["counting_unavailable", 501, "not_supported", false],
  ["upstream_failed", 502, "api_error", true],
  ["upstream_overloaded", 503, "overloaded_error", true],
  ["upstream_too_slow", 503, "overloaded_error", false],
  ["store_unavailable", 503, "overloaded_error", true],
])("%s is %i %s", (code, status, type, retried) => {
  const refusal = new Refusal(code, "why");
  expect(refusal.status).toBe(status);
  expect(errorBody(code, "why", "r1").error).toEqual({ type, message: "why", details: { error_code: code } });
  expect(errorHeaders(refusal, "r1")["x-should-retry"]).toBe(retried ? undefined : "false");
});

test("a refusal because of one field names it in the message and in the details", () => {
  const refusal = fieldRefusal("conflict", "name", "is taken");
  expect(refusal.message).toBe("name: is taken");
  expect(errorBody(refusal.code, refusal.message, "r1", refusal).error.details).toEqual({
    error_code: "conflict",
    fields: ["name"],
  });
});

test("no code has a status that means success", () => {
  for (const { status } of Object.values(refusals)) expect(status).toBeGreaterThanOrEqual(400);
});

test("the body has the specified shape, with code and request id added", () => {
  expect(errorBody("tenant_suspended", "It is", "r1")).toEqual({
    type: "error",
    error: { type: "tenant_suspended", message: "It is", details: { error_code: "tenant_suspended" } },
    request_id: "r1",
  });
});

test("the headers say when a retry is worth it", () => {
  expect(errorHeaders(new Refusal("role_missing", ""), "r1")).toEqual({
    "content-type": "application/json",
    "cache-control": "no-store",
    "request-id": "r1",
    "x-should-retry": "false",
  });
  expect(errorHeaders(new Refusal("rate_limited", "", { retryAfterSeconds: 3 }), "r1")).toMatchObject({
    "retry-after": "3",
  });
});

test("a spent budget says when it starts anew, and nothing that a client would sleep through", () => {
  const headers = errorHeaders(new Refusal("budget_exceeded", "", { resetsAt: Date.parse("2026-12-01") }), "r1");
  expect(headers).toMatchObject({ "x-budget-reset": "2026-12-01T00:00:00.000Z", "x-should-retry": "false" });
  expect(headers).not.toHaveProperty("retry-after");
});

test("a stack chooses the status of what is spent, and of nothing else", () => {
  for (const code of Object.keys(refusals) as RefusalCode[]) {
    expect(statusOf(code)).toBe(refusals[code].status);
    expect(statusOf(code, 402)).toBe(refusals[code].type === "billing_error" ? 402 : refusals[code].status);
  }
});

test("a wrong method comes with the right ones", () => {
  const refusal = new Refusal("method_not_allowed", "", { allow: ["GET", "PUT"] });
  expect(refusal.status).toBe(405);
  expect(errorHeaders(refusal, "r1")).toMatchObject({ allow: "GET, PUT" });
});
