import { expect, test } from "@jest/globals";
import * as aws from "@pulumi/aws";
import { AppClient } from "../../../components/identity/app-client.ts";
import type { AppClientRules } from "../../../domain/access/app-client.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const callbackUrls = ["http://localhost:8400/callback"];

/** Two app clients of these rules, of a pool with Google, and the scopes that one is told of. */
async function clientsOf(rules: AppClientRules) {
  let told: string[] = [];
  const program = await declarationsOf(() => {
    const userPool = new aws.cognito.UserPool("pool");
    const of = { userPoolId: userPool.id };
    const resourceServer = new aws.cognito.ResourceServer("server", {
      ...of,
      identifier: "platform",
      name: "Platform",
    });
    const google = { providerName: "Google", providerType: "Google", providerDetails: {} };
    const providers = [new aws.cognito.IdentityProvider("google", { ...of, ...google })];
    const args = { userPool, resourceServer, providers, rules, callbackUrls };
    for (const name of ["client", "another"]) {
      new AppClient(name, args).scopes.apply((scopes) => {
        told = scopes;
      });
    }
  });
  const { inputs } = program.get("aws:cognito/userPoolClient:UserPoolClient", "client");
  return { program, inputs, told };
}

const rules = { scopes: ["control:manage", "proxy:invoke"], accessMinutes: 60, refreshHours: 720 } as const;
const { program, inputs } = await clientsOf(rules);

test("an app client is public: it uses codes with PKCE, has no secret, and its addresses are compared exactly", () => {
  expect(inputs).toMatchObject({
    generateSecret: false,
    allowedOauthFlowsUserPoolClient: true,
    allowedOauthFlows: ["code"],
    callbackUrls,
    enableTokenRevocation: true,
    preventUserExistenceErrors: "ENABLED",
  });
  expect(inputs).not.toHaveProperty("logoutUrls");
});

test("each refresh token of an app client is valid once, and shortly afterwards for a retry", () => {
  expect(inputs.refreshTokenRotation).toEqual({ feature: "ENABLED", retryGracePeriodSeconds: 60 });
  // Rotation excludes ALLOW_REFRESH_TOKEN_AUTH, and what is not given at all would be three flows, that one among them.
  expect(inputs.explicitAuthFlows).toEqual(["ALLOW_CUSTOM_AUTH"]);
});

test("an app client's tokens have the lifetime and scopes of its rules", () => {
  expect(inputs).toMatchObject({
    accessTokenValidity: 60,
    idTokenValidity: 60,
    refreshTokenValidity: 720,
    tokenValidityUnits: { accessToken: "minutes", idToken: "minutes", refreshToken: "hours" },
    allowedOauthScopes: ["openid", "email", "profile", "platform/control:manage", "platform/proxy:invoke"],
  });
});

test("people sign in by the pool itself, or by a provider that is created before the app client", () => {
  expect(inputs.supportedIdentityProviders).toEqual(["COGNITO", "Google"]);
});

test("an app client has its own sign-in style, without which managed login shows no page", () => {
  const styles = program.ofType("aws:cognito/managedLoginBranding:ManagedLoginBranding");
  expect(styles.map(({ name }) => name)).toEqual(["client", "another"]);
  expect(new Set(styles.map(({ inputs }) => inputs.clientId)).size).toBe(2);
  expect(styles.map(({ options }) => options.deleteBeforeReplace)).toEqual([true, true]);
});

test("an app client for people's own accounts may request account scopes, and clients are told only about the others", async () => {
  const { inputs, told } = await clientsOf({ ...rules, ownAccount: true });
  expect(told).toEqual(["openid", "email", "profile", "platform/control:manage", "platform/proxy:invoke"]);
  expect(inputs.allowedOauthScopes).toEqual([...told, "aws.cognito.signin.user.admin"]);
});
