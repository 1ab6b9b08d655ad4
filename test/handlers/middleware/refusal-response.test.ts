import { expect, test } from "@jest/globals";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { refusalResponse } from "../../../handlers/middleware/refusal-response.ts";

const errorHeaders = (refusal: Refusal, requestId: string) => refusalResponse(refusal, requestId).headers;

test("the headers of a refusal say when a retry can succeed", () => {
  expect(errorHeaders(new Refusal("role_missing", ""), "r1")).toEqual({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "request-id": "r1",
    "x-should-retry": "false",
  });
  expect(errorHeaders(new Refusal("rate_limited", "", { retryAfterSeconds: 3 }), "r1")).toMatchObject({
    "retry-after": "3",
  });
  expect(errorHeaders(new Refusal("store_unavailable", ""), "r1")).toMatchObject({ "retry-after": "1" });
  // The code allows it, and this refusal does not.
  const isFinal = new Refusal("upstream_failed", "", { isFinal: true });
  expect(errorHeaders(isFinal, "r1")["x-should-retry"]).toBe("false");
  const overloaded = new Refusal("upstream_overloaded", "", { isFinal: true });
  expect(errorHeaders(overloaded, "r1")).not.toHaveProperty("retry-after");
  expect(errorHeaders(new Refusal("upstream_failed", ""), "r1")).not.toHaveProperty("x-should-retry");
});

test("the refusal of a spent budget says when the budget resets, and has no header that makes a client wait until then", () => {
  const headers = errorHeaders(new Refusal("budget_exceeded", "", { resetsAt: Date.parse("2026-12-01") }), "r1");
  expect(headers).toMatchObject({ "x-budget-reset": "2026-12-01T00:00:00.000Z", "x-should-retry": "false" });
  expect(headers).not.toHaveProperty("retry-after");
});

test("the refusal of a wrong method names the allowed ones", () => {
  const refusal = new Refusal("method_not_allowed", "", { allow: ["GET", "PUT"] });
  expect(refusalResponse(refusal, "r1")).toMatchObject({ statusCode: 405, headers: { allow: "GET, PUT" } });
});
