import { expect, test } from "@jest/globals";
import { type AppClientRules, appClients } from "../../../domain/access/app-client.ts";
import { type Scope, scopes } from "../../../domain/access/scope.ts";

const clients: [string, AppClientRules][] = Object.entries(appClients);
const holding = (scope: Scope) => clients.filter(([, rules]) => rules.scopes.includes(scope)).map(([name]) => name);

test("every scope is used by some app client", () => {
  expect((Object.keys(scopes) as Scope[]).filter((scope) => holding(scope).length === 0)).toEqual([]);
});

test("only tokens of the token helper may call models", () => {
  expect(holding("proxy:invoke")).toEqual(["token_helper"]);
});

test("a connector's tokens are accepted only by its gateway, and are valid for a quarter of an hour", () => {
  expect(appClients.connector).toMatchObject({ scopes: ["mcp:connect"], accessMinutes: 15 });
});

test("only the console's tokens can change the account of the person who holds them", () => {
  expect(clients.filter(([, { ownAccount }]) => ownAccount).map(([name]) => name)).toEqual(["console"]);
});

test("lifetimes of tokens are within Cognito's limits: 5 minutes to a day, and an hour to 10 years", () => {
  for (const [, { accessMinutes, refreshHours }] of clients) {
    expect(accessMinutes).toBeGreaterThanOrEqual(5);
    expect(accessMinutes).toBeLessThanOrEqual(24 * 60);
    expect(refreshHours * 60).toBeGreaterThan(accessMinutes);
    expect(refreshHours).toBeLessThanOrEqual(10 * 365 * 24);
  }
});
