import { describe, expect, test } from "@jest/globals";
import { type Route, routes } from "../../../handlers/control/routes.ts";

const all: [string, Route][] = Object.entries(routes);

test("no two operations share method and path", () => {
  const names = all.map(([, { method, path }]) => `${method} ${path}`);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(all)("%s", (_name, route) => {
  test("has an answer exactly if its status has one", () => {
    expect(route.response === undefined).toBe(route.status === 204);
  });

  test("has a body only where HTTP gives it a meaning", () => {
    expect(route.body === undefined || ["POST", "PUT", "PATCH"].includes(route.method)).toBe(true);
  });
});

test("an API key leaves without its hash, whatever the handler answers", () => {
  const key = {
    key_id: "000000000000",
    tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
    name: "CI",
    mode: "live",
    hash: "$2b$10$hash",
    last4: "abcd",
    role: "developer",
    caller_id: "ann",
    scope: "proxy:invoke",
    status: "active",
    created_by: "ann",
    created_at: "2026-11-21T05:00:00.000Z",
  };
  const answers = [
    routes.createKey.response.parse({ ...key, key: "ar_live_" }),
    routes.listKeys.response.parse({ data: [key] }),
  ];
  expect(JSON.stringify(answers)).not.toContain("hash");
});
