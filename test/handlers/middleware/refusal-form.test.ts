import { matchesGlob } from "node:path";
import { expect, test } from "@jest/globals";
import { fieldRefusal, type RefusalCode } from "../../../domain/kernel/refusal.ts";
import {
  errorBody,
  isFinal,
  refusalForms,
  secondsToWait,
  statusOf,
} from "../../../handlers/middleware/refusal-form.ts";
import { sourceFiles } from "../../support/source-files.ts";

/** The errors of the proxy (docs/specification.md, Errors). */
test.each<[RefusalCode, number, string, boolean]>([
  ["credential_missing", 401, "authentication_error", false],
  ["credential_invalid", 401, "authentication_error", false],
  ["credential_expired", 401, "authentication_error", false],
  ["credential_ended", 401, "authentication_error", false],
  ["tenant_unknown", 404, "tenant_not_found", false],
  ["tenant_suspended", 403, "tenant_suspended", false],
  ["tenant_mismatch", 403, "permission_error", false],
  ["scope_missing", 403, "permission_error", false],
  ["grant_missing", 403, "permission_error", false],
  ["model_not_allowed", 403, "permission_error", false],
  ["model_unknown", 404, "not_found_error", true],
  ["region_not_allowed", 403, "permission_error", false],
  ["not_found", 404, "not_found_error", false],
  ["slug_taken", 409, "conflict_error", false],
  ["key_limit_reached", 409, "conflict_error", false],
  ["idempotency_key_used", 409, "conflict_error", false],
  ["changed_meanwhile", 409, "conflict_error", true],
  ["purge_running", 409, "conflict_error", true],
  ["invalid_request", 400, "invalid_request_error", true],
  ["request_too_large", 413, "request_too_large", true],
  ["encoding_unsupported", 415, "invalid_request_error", true],
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
  expect(statusOf(code)).toBe(status);
  expect(errorBody(code, "why", "r1").error).toEqual({ type, message: "why", details: { error_code: code } });
  expect(isFinal(code)).toBe(!retried);
});

test("a refusal because of one field is named in the details", () => {
  const refusal = fieldRefusal("slug_taken", "name", "is taken");
  expect(errorBody(refusal.code, refusal.message, "r1", refusal).error.details).toEqual({
    error_code: "slug_taken",
    fields: [{ path: "name", message: "is taken" }],
  });
});

test("a refusal's code determines its time to retry, unless the refusal computed one", () => {
  const codes = Object.keys(refusalForms) as RefusalCode[];
  const waits = codes.flatMap((code) => (secondsToWait(code) === undefined ? [] : [[code, secondsToWait(code)]]));
  expect(Object.fromEntries(waits)).toEqual({
    purge_running: 60,
    workspace_incomplete: 60,
    gateway_deleting: 30,
    changed_meanwhile: 1,
    rate_limited: 1,
    concurrency_limited: 2,
    budget_reserved: 2,
    upstream_overloaded: 5,
    store_unavailable: 1,
    identity_unavailable: 1,
    payments_unavailable: 10,
    gateway_unavailable: 5,
  });
});

test("no refusal chooses a number of seconds itself: a number is in the table, and what a rule computes is no number", async () => {
  const sources = (await sourceFiles()).filter(({ path }) => matchesGlob(path, "{domain,adapters,handlers}/**"));
  const chosen = sources.filter(({ text }) => /retryAfterSeconds: *\d/.test(text));
  expect(chosen.map(({ path }) => path)).toEqual([]);
});

test("no code has a status that means success", () => {
  for (const { status } of Object.values(refusalForms)) expect(status).toBeGreaterThanOrEqual(400);
});

test("a refusal's body has the specified shape, with code and request id added", () => {
  expect(errorBody("tenant_suspended", "It is", "r1")).toEqual({
    type: "error",
    error: { type: "tenant_suspended", message: "It is", details: { error_code: "tenant_suspended" } },
    request_id: "r1",
  });
});

test("a stack chooses the status for a spent budget, and for nothing else", () => {
  for (const code of Object.keys(refusalForms) as RefusalCode[]) {
    expect(statusOf(code)).toBe(refusalForms[code].status);
    const spent = refusalForms[code].type === "billing_error";
    expect(statusOf(code, { budget: 402 })).toBe(spent ? 402 : refusalForms[code].status);
  }
});

test("a client that repeats each 403 gets another status for refusals that no other token cures, and only for these", () => {
  for (const code of Object.keys(refusalForms) as RefusalCode[]) {
    const { status } = refusalForms[code];
    const incurable = status === 403 || code === "not_found" || code === "tenant_unknown";
    expect(statusOf(code, { incurable: 409 })).toBe(incurable ? 409 : status);
    expect(statusOf(code, { incurable: 403 })).toBe(status);
  }
});
