import { expect, test } from "@jest/globals";
import { overrideClaims, overrideScopes, tokenOverrides } from "../../cognito/token-overrides.ts";

const access = (changes: object) => ({ accessTokenGeneration: changes });

test("a claim that is both added and suppressed is suppressed", () => {
  const changes = { claimsToAddOrOverride: { plan: "pro" }, claimsToSuppress: ["plan"] };
  expect(overrideClaims("access", {}, access(changes))).toEqual({});
});

test("a token trigger changes the access token and the ID token separately", () => {
  const changes = access({ claimsToAddOrOverride: { plan: "pro" } });
  expect(overrideClaims("id", {}, changes)).toEqual({});
  expect(overrideClaims("access", {}, changes)).toEqual({ plan: "pro" });
});

test("a token trigger may set an access token's audience only to the token's own client", () => {
  const claims = { client_id: "c1" };
  const withAudience = (aud: string) => overrideClaims("access", claims, access({ claimsToAddOrOverride: { aud } }));
  expect(withAudience("c1")).toEqual({ client_id: "c1", aud: "c1" });
  expect(withAudience("c2")).toEqual(claims);
  expect(
    overrideClaims("access", { ...claims, aud: "api" }, access({ claimsToAddOrOverride: { aud: "c1" } })).aud,
  ).toBe("api");
});

test("a token trigger's scopes are added once, and suppressed last", () => {
  const changes = access({ scopesToAdd: ["b", "c", "a"], scopesToSuppress: ["a", "c"] });
  expect(overrideScopes(["a", "b"], changes)).toEqual(["b"]);
  expect(overrideScopes(["a", "b"], {})).toEqual(["a", "b"]);
});

test.each([
  [{ claimsOverrideDetails: {} }],
  [{ claimsAndScopeOverrideDetails: { groupOverrideDetails: { groupsToOverride: ["admins"] } } }],
  [{ claimsAndScopeOverrideDetails: { accessTokenGeneration: { claimsToAdd: {} } } }],
  [{ claimsAndScopeOverrideDetails: { accessTokenGeneration: { scopesToAdd: ["two words"] } } }],
  [{ claimsAndScopeOverrideDetails: { idTokenGeneration: { scopesToAdd: ["a"] } } }],
])("%j is refused as an answer of the token trigger", (response) => {
  expect(tokenOverrides.safeParse(response).success).toBe(false);
});

test("a token trigger that returns null, or leaves a field out, changes nothing", () => {
  expect(tokenOverrides.parse({ claimsAndScopeOverrideDetails: null })).toEqual({
    claimsAndScopeOverrideDetails: null,
  });
  expect(tokenOverrides.parse({})).toEqual({});
});
