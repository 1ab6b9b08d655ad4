import { describe, expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";

const least = {
  "archway:domain": "dev.archway.example",
  "archway:cloudflareZoneId": "0123456789abcdef0123456789abcdef",
  "archway:originSecret": "a-secret-of-more-than-32-characters",
  "archway:sealingSecret": "another-one-of-more-than-32-characters",
  "archway:console": JSON.stringify({ callbackUrls: ["https://c.example/"], logoutUrls: ["https://c.example/"] }),
};
const google = { clientId: "1234.apps.googleusercontent.com", clientSecret: "the-secret" };
const okta = { name: "Okta", issuer: "https://example.okta.com", clientId: "0oa1", clientSecret: "the-secret" };

const configOf = (keys: Record<string, unknown>) =>
  stackConfig({
    ...least,
    ...Object.fromEntries(Object.entries(keys).map(([key, value]) => [`archway:${key}`, JSON.stringify(value)])),
  });

function problemsOf(keys: Record<string, unknown>): string[] {
  try {
    configOf(keys);
  } catch (error) {
    const [, ...problems] = (error as Error).message.split("\n");
    return problems.map((problem) => problem.trim());
  }
  return [];
}

test("no external provider can sign people in unless the stack configures it", () => {
  const { google, oidcProviders } = stackConfig(least);
  expect([google, oidcProviders]).toEqual([undefined, []]);
});

test("a provider of OpenID Connect is asked for the standard claims, and whether it vouches for the address", () => {
  expect(configOf({ oidcProviders: [okta] }).oidcProviders).toEqual([
    {
      ...okta,
      scopes: ["openid", "email", "profile"],
      attributeMapping: { email: "email", email_verified: "email_verified" },
    },
  ]);
});

test("a configured claim replaces the standard claim, and the other claims stay", () => {
  const [entra] = configOf({
    oidcProviders: [{ ...okta, attributeMapping: { email_verified: "xms_edov", given_name: "given_name" } }],
  }).oidcProviders;
  expect(entra?.attributeMapping).toEqual({ email: "email", email_verified: "xms_edov", given_name: "given_name" });
});

describe("what Cognito would refuse is told by its key", () => {
  test.each([
    ["a name with an underscore", { name: "my_okta" }, "0.name: must be 3 to 32 letters, digits, . and -"],
    ["a name that is too short", { name: "Me" }, "0.name: must be 3 to 32 letters, digits, . and -"],
    ["a name that is too long", { name: "a".repeat(33) }, "0.name: must be 3 to 32 letters, digits, . and -"],
    ["the user pool's own name", { name: "COGNITO" }, "0.name: is a name that Cognito keeps for itself"],
    ["Google's name", { name: "google" }, "0.name: is a name that Cognito keeps for itself"],
    ["scopes without openid", { scopes: ["email"] }, "0.scopes: must have openid, without which there is no ID token"],
    ["two scopes in one", { scopes: ["openid", "email profile"] }, "0.scopes.1: must be a scope"],
    ["another username", { attributeMapping: { username: "email" } }, "0.attributeMapping.username: no such key"],
    ["an attribute of nobody", { attributeMapping: { groups: "groups" } }, "0.attributeMapping.groups: no such key"],
    [
      "a claim of no name",
      { attributeMapping: { email: "" } },
      "0.attributeMapping.email: must be the name of a claim",
    ],
    ["no secret", { clientSecret: undefined }, "0.clientSecret: is missing"],
  ])("a provider setting that Cognito would refuse is reported by its key: %s", (_case, change, problem) => {
    expect(problemsOf({ oidcProviders: [{ ...okta, ...change }] })).toEqual([`archway:oidcProviders.${problem}`]);
  });

  test.each([
    ["http://example.okta.com"],
    ["https://example.okta.com/"],
    ["https://example.okta.com?a=b"],
    ["https://example.okta.com#a"],
    ["https://someone:password@example.okta.com"],
    ["example.okta.com"],
    [""],
  ])("the provider's issuer %j is refused", (issuer) => {
    expect(problemsOf({ oidcProviders: [{ ...okta, issuer }] })).toEqual([
      "archway:oidcProviders.0.issuer: must be https, without a slash at the end, query or fragment",
    ]);
  });

  test("two providers with the same name, in any case, are refused, because usernames begin with the provider's name", () => {
    expect(problemsOf({ oidcProviders: [okta, { ...okta, name: "OKTA" }] })).toEqual([
      expect.stringMatching(/^archway:oidcProviders: two have the same name/),
    ]);
  });
});

test("a malformed Google client id, such as the secret in its place, is reported", () => {
  const { clientId, clientSecret } = google;
  expect(problemsOf({ google: { clientId: clientSecret, clientSecret: clientId } })).toEqual([
    "archway:google.clientId: must end with .apps.googleusercontent.com",
  ]);
});

test("no configuration error shows a secret, or any other value", () => {
  const leaked = "leaked value";
  const problems = [
    ...problemsOf({ google: { clientId: leaked, clientSecret: leaked }, oidcProviders: leaked }),
    ...problemsOf({ google: leaked, oidcProviders: [{ ...okta, name: leaked, clientSecret: leaked, scopes: leaked }] }),
    ...problemsOf({
      oidcProviders: [{ ...okta, issuer: leaked, clientId: leaked, attributeMapping: { email: leaked } }],
    }),
  ];
  expect(problems.length).toBeGreaterThan(9);
  expect(problems.filter((problem) => problem.includes("leaked"))).toEqual([]);
});
