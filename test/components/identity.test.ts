import { describe, expect, test } from "@jest/globals";
import { stackConfig } from "../../components/config.ts";
import { Identity } from "../../components/identity.ts";
import { PlatformTable } from "../../components/platform-table.ts";
import { scopes } from "../../domain/access/scope.ts";
import { readStackConfig } from "../../local/program/program.ts";
import { declarationsOf } from "../support/pulumi-program.ts";

const config = stackConfig(await readStackConfig("Pulumi.dev.yaml"));
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  new Identity("identity", { config, table });
});
const pool = program.get("aws:cognito/userPool:UserPool", "identity");
const poolArn = expect.stringMatching(/^arn:aws:cognito-idp:eu-central-1:000000000000:userpool\//);
const triggersArn = "arn:aws:lambda:eu-central-1:000000000000:function:identity-triggers-local";
const client = (name: string) => program.get("aws:cognito/userPoolClient:UserPoolClient", `identity-${name}`);

describe("the user pool", () => {
  test("signs people in by their e-mail address, whatever its case", () => {
    expect(pool.inputs).toMatchObject({
      userPoolTier: "ESSENTIALS",
      usernameAttributes: ["email"],
      usernameConfiguration: { caseSensitive: false },
      autoVerifiedAttributes: ["email"],
    });
  });

  test("calls the triggers, with the event that can write access tokens", () => {
    expect(pool.inputs.lambdaConfig).toEqual({
      postConfirmation: triggersArn,
      preTokenGenerationConfig: { lambdaArn: triggersArn, lambdaVersion: "V2_0" },
    });
  });

  test("is the only one that may call them", () => {
    expect(program.get("aws:lambda/permission:Permission", "identity-triggers").inputs).toEqual({
      action: "lambda:InvokeFunction",
      function: "identity-triggers-local",
      principal: "cognito-idp.amazonaws.com",
      sourceArn: poolArn,
    });
  });

  test("is not deleted in one step", () => {
    expect(pool.inputs.deletionProtection).toBe("ACTIVE");
    expect(pool.options).toMatchObject({ protect: true, retainOnDelete: true });
  });
});

test("the resource server has the platform's scopes, each with what it lets one do", () => {
  const server = program.get("aws:cognito/resourceServer:ResourceServer", "identity").inputs;
  expect(server.identifier).toBe("platform");
  expect(server.scopes).toEqual(
    Object.entries(scopes).map(([scopeName, scopeDescription]) => ({ scopeName, scopeDescription })),
  );
});

describe("app clients", () => {
  test.each(["console", "token-helper"])("%s is public: a code with PKCE, no secret, an hour's tokens", (name) => {
    expect(client(name).inputs).toMatchObject({
      generateSecret: false,
      allowedOauthFlowsUserPoolClient: true,
      allowedOauthFlows: ["code"],
      explicitAuthFlows: ["ALLOW_REFRESH_TOKEN_AUTH"],
      accessTokenValidity: 60,
      tokenValidityUnits: { accessToken: "minutes", idToken: "minutes", refreshToken: "days" },
      enableTokenRevocation: true,
      preventUserExistenceErrors: "ENABLED",
    });
  });

  test("the console gets the control plane, the token helper models too", () => {
    const standard = ["openid", "email", "profile"];
    expect(client("console").inputs.allowedOauthScopes).toEqual([...standard, "platform/control:manage"]);
    expect(client("token-helper").inputs.allowedOauthScopes).toEqual([
      ...standard,
      "platform/control:manage",
      "platform/proxy:invoke",
    ]);
  });

  test("each returns to the addresses of the stack's configuration", () => {
    expect(client("console").inputs).toMatchObject({
      callbackUrls: ["https://console.dev.archway.example/callback", "http://localhost:5173/callback"],
      logoutUrls: ["https://console.dev.archway.example/", "http://localhost:5173/"],
    });
    expect(client("token-helper").inputs.callbackUrls).toEqual(["http://localhost:8400/callback"]);
  });

  test("each has a style, without which managed login shows no page", () => {
    const styles = program.ofType("aws:cognito/managedLoginBranding:ManagedLoginBranding");
    const clients = program.ofType("aws:cognito/userPoolClient:UserPoolClient");
    expect(styles.map(({ name }) => name)).toEqual(clients.map(({ name }) => name));
    expect(new Set(styles.map(({ inputs }) => inputs.clientId)).size).toBe(clients.length);
  });
});

test("people sign in on auth.<domain>, whose certificate is where Cognito looks for it", () => {
  const domain = program.get("aws:cognito/userPoolDomain:UserPoolDomain", "identity").inputs;
  expect(domain).toMatchObject({ domain: "auth.localhost", managedLoginVersion: 2 });
  expect(domain.certificateArn).toMatch(/^arn:aws:acm:us-east-1:/);
  expect(program.get("cloudflare:index/dnsRecord:DnsRecord", "identity-auth").inputs).toMatchObject({
    name: "auth.localhost",
    type: "CNAME",
    content: "d111111abcdef8.cloudfront.net",
    proxied: false,
  });
});

test("the triggers get the table and the platform's administrators", () => {
  const { variables } = program.get("aws:lambda/function:Function", "identity-triggers").inputs.environment;
  expect(variables).toEqual({ TABLE_NAME: "archway-local", PLATFORM_ADMINS: '["admin@archway.example"]' });
});
