import { expect, test } from "@jest/globals";
import { errorBody, errorHeaders, Refusal } from "../../domain/refusal.ts";

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

test("a wrong method comes with the right ones", () => {
  const refusal = new Refusal("method_not_allowed", "", { allow: ["GET", "PUT"] });
  expect(refusal.status).toBe(405);
  expect(errorHeaders(refusal, "r1")).toMatchObject({ allow: "GET, PUT" });
});
