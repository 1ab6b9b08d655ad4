import { expect, test } from "@jest/globals";
import { readPool } from "../../cognito/settings.ts";
import { Store } from "../../store.ts";
import { declaredPool, declaredServer, google, publicClient } from "./declarations.ts";
import { start } from "./harness.ts";

test("every setting of a pool that is not emulated is listed", () => {
  const inputs = {
    ...declaredPool,
    deviceConfiguration: {},
    mfaConfiguration: "ON",
    passwordPolicy: { minimumLength: 12, maximumLength: 64 },
    lambdaConfig: { preAuthentication: "arn:aws:lambda:x", preSignUp: "triggers" },
    usernameConfiguration: { caseSensitive: true },
  };
  const problem = () => readPool(inputs);
  expect(problem).toThrow("Cognito: user pool");
  for (const line of [
    "deviceConfiguration: not emulated",
    "mfaConfiguration: ",
    "passwordPolicy.maximumLength: not emulated",
    "lambdaConfig.preAuthentication: not emulated",
    "lambdaConfig.preSignUp: ",
    "usernameConfiguration.caseSensitive: ",
  ]) {
    expect(problem).toThrow(line);
  }
});

test("a second factor can be optional, if the pool offers one", () => {
  expect(readPool(declaredPool).mfaConfiguration).toBe("OFF");
  const optional = { ...declaredPool, mfaConfiguration: "OPTIONAL" };
  const factor = { softwareTokenMfaConfiguration: { enabled: true } };
  expect(readPool({ ...optional, ...factor })).toMatchObject({ mfaConfiguration: "OPTIONAL", ...factor });
  expect(() => readPool(optional)).toThrow("mfaConfiguration: OPTIONAL needs a second factor");
});

test.each([
  [
    "a client's input",
    { clients: [{ ...publicClient, analyticsConfiguration: {} }] },
    "analyticsConfiguration: not emulated",
  ],
  ["a client's flow", { clients: [{ ...publicClient, allowedOauthFlows: ["implicit"] }] }, "allowedOauthFlows.0: "],
  [
    "a client's scope",
    { clients: [{ ...publicClient, allowedOauthScopes: ["openid", "platform/x"] }] },
    "Invalid scope requested: platform/x",
  ],
  [
    "a secret that is missing",
    { clients: [{ ...publicClient, generateSecret: true }] },
    "token-helper has no clientSecret",
  ],
  [
    "a resource server's scope",
    { resourceServers: [{ ...declaredServer, scopes: [{ scopeName: "a/b", scopeDescription: "x" }] }] },
    "scopes.0.scopeName: ",
  ],
  ["a provider's kind", { identityProviders: [{ ...google, providerType: "SAML" }] }, "providerType: "],
  ["a provider's name", { identityProviders: [{ ...google, providerName: "my_google" }] }, "providerName: "],
  ["a provider's second", { identityProviders: [google, google] }, "Google is declared twice"],
  ["a provider's input", { identityProviders: [{ ...google, idpIdentifiers: ["x"] }] }, "idpIdentifiers: not emulated"],
])("%s that is not emulated stops the start", async (_case, options, problem) => {
  await expect(start({ ...options, store: new Store(":memory:") })).rejects.toThrow(problem);
});
