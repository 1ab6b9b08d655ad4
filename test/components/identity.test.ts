import { describe, expect, test } from "@jest/globals";
import type * as pulumi from "@pulumi/pulumi";
import { type StackConfig, stackConfig } from "../../components/config.ts";
import { Identity } from "../../components/identity.ts";
import { PlatformTable } from "../../components/platform-table.ts";
import { scopes } from "../../domain/access/scope.ts";
import { localStackFile, readStackConfig } from "../../local/program/program.ts";
import { type Declarations, declarationsOf } from "../support/pulumi-program.ts";

const config = stackConfig(await readStackConfig(localStackFile));
const program = await identityOf(config);
const pool = program.get("aws:cognito/userPool:UserPool", "identity");
const poolArn = expect.stringMatching(/^arn:aws:cognito-idp:eu-central-1:000000000000:userpool\//);
const triggersArn = "arn:aws:lambda:eu-central-1:000000000000:function:identity-triggers-local";

function identityOf(config: StackConfig): Promise<Declarations> {
  return declarationsOf(() => {
    const { table } = new PlatformTable("archway");
    new Identity("identity", { config, table });
  });
}

async function identityWith(overrides: Record<string, string | undefined>): Promise<Declarations> {
  return identityOf(stackConfig(await readStackConfig(localStackFile, overrides)));
}

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

  test("tells whom an administrator makes an account where to sign in, and until when", () => {
    const { adminCreateUserConfig, passwordPolicy } = pool.inputs;
    const { emailMessage } = adminCreateUserConfig.inviteMessageTemplate;
    expect(emailMessage).toContain(new URL(config.console.callbackUrls[0] ?? "").origin);
    expect(emailMessage).toContain(`${passwordPolicy.temporaryPasswordValidityDays} days`);
    // Without both Cognito refuses it (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_MessageTemplateType.html).
    expect(emailMessage).toMatch(/\{username\}.*\{####\}/);
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

  test("lets people have an authenticator app as a second factor, and resets passwords by verified e-mail alone", () => {
    expect(pool.inputs).toMatchObject({
      mfaConfiguration: "OPTIONAL",
      softwareTokenMfaConfiguration: { enabled: true },
      accountRecoverySetting: { recoveryMechanisms: [{ name: "verified_email", priority: 1 }] },
    });
    expect(pool.inputs).not.toHaveProperty("smsConfiguration");
    // Cognito takes e-mail for one of the two only, and a mailbox that resets the password is no second factor.
    expect(pool.inputs).not.toHaveProperty("emailMfaConfiguration");
  });

  test("keeps an e-mail address until the new one is verified", () => {
    expect(pool.inputs.userAttributeUpdateSettings).toEqual({ attributesRequireVerificationBeforeUpdates: ["email"] });
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
  test.each(["console", "token-helper", "skills"])("%s is public: a code with PKCE, and no secret", (name) => {
    expect(client(name).inputs).toMatchObject({
      generateSecret: false,
      allowedOauthFlowsUserPoolClient: true,
      allowedOauthFlows: ["code"],
      enableTokenRevocation: true,
      preventUserExistenceErrors: "ENABLED",
    });
  });

  test.each(["console", "token-helper", "skills"])("of %s each refresh token is good once, and for a retry", (name) => {
    const { explicitAuthFlows, refreshTokenRotation } = client(name).inputs;
    expect(refreshTokenRotation).toEqual({ feature: "ENABLED", retryGracePeriodSeconds: 60 });
    // Rotation excludes ALLOW_REFRESH_TOKEN_AUTH, and what is not given at all would be three flows, that one among them.
    expect(explicitAuthFlows).toEqual(["ALLOW_CUSTOM_AUTH"]);
    expect(Object.keys(pool.inputs.lambdaConfig).filter((trigger) => /Challenge/.test(trigger))).toEqual([]);
  });

  test.each([
    ["console", 15, 12],
    ["token-helper", 60, 30 * 24],
    ["skills", 60, 30 * 24],
  ])("tokens of %s live %i minutes, and are refreshed for %i hours", (name, minutes, hours) => {
    expect(client(name).inputs).toMatchObject({
      accessTokenValidity: minutes,
      idTokenValidity: minutes,
      refreshTokenValidity: hours,
      tokenValidityUnits: { accessToken: "minutes", idToken: "minutes", refreshToken: "hours" },
    });
  });

  test("the console gets the control plane, the token helper models too, the skills server skills alone", () => {
    const standard = ["openid", "email", "profile"];
    const ownAccount = "aws.cognito.signin.user.admin";
    expect(client("console").inputs.allowedOauthScopes).toEqual([...standard, "platform/control:manage", ownAccount]);
    expect(client("token-helper").inputs.allowedOauthScopes).toEqual([
      ...standard,
      "platform/control:manage",
      "platform/proxy:invoke",
    ]);
    expect(client("skills").inputs.allowedOauthScopes).toEqual([
      ...standard,
      "platform/skills:rw",
      "platform/skills:invoke",
    ]);
  });

  test("each returns to the addresses of the stack's configuration", () => {
    expect(client("console").inputs).toMatchObject({
      callbackUrls: ["https://console.dev.archway.example/callback", "http://localhost:5173/callback"],
      logoutUrls: ["https://console.dev.archway.example/", "http://localhost:5173/"],
    });
    expect(client("token-helper").inputs.callbackUrls[0]).toBe("http://localhost:8400/callback");
    expect(client("token-helper").inputs.callbackUrls).toHaveLength(3);
    expect(client("skills").inputs.callbackUrls[0]).toBe("http://localhost:8410/callback");
    expect(client("skills").inputs.callbackUrls).toHaveLength(3);
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

describe("the domain above auth.<domain>", () => {
  const dependenciesOf = async (declared: typeof program) => {
    const { dependsOn } = declared.get("aws:cognito/userPoolDomain:UserPoolDomain", "identity").options;
    const urns = (dependsOn as pulumi.Resource[]).map(({ urn }) => new Promise<string>((known) => urn.apply(known)));
    return (await Promise.all(urns)).map((urn) => urn.split("::").at(-1));
  };

  test("gets an address, without which Cognito takes no domain below it, and the pool's domain waits for that", async () => {
    expect(program.get("cloudflare:index/dnsRecord:DnsRecord", "identity-domain").inputs).toMatchObject({
      name: "localhost",
      type: "A",
      content: "192.0.2.1",
      proxied: false,
    });
    expect(await dependenciesOf(program)).toEqual(["identity-domain"]);
  });

  test("is left alone if the stack says that it resolves", async () => {
    const declared = await identityWith({ "archway:domainResolves": "true" });
    const records = declared.ofType("cloudflare:index/dnsRecord:DnsRecord").map(({ inputs }) => inputs.name);
    expect(records).not.toContain("localhost");
    expect(await dependenciesOf(declared)).toEqual([]);
  });
});

test.each([
  ["aws:cognito/userPoolDomain:UserPoolDomain", "identity"],
  ["aws:cognito/managedLoginBranding:ManagedLoginBranding", "identity-console"],
  ["cloudflare:index/dnsRecord:DnsRecord", "identity-auth"],
])("%s is deleted before it is replaced: there can be no second one beside it", (type, name) => {
  expect(program.get(type, name).options.deleteBeforeReplace).toBe(true);
});

describe("mail", () => {
  test("is Cognito's own unless the stack says who sends", async () => {
    const declared = await identityWith({ "archway:mail": undefined });
    const { inputs } = declared.get("aws:cognito/userPool:UserPool", "identity");
    expect(inputs.emailConfiguration).toEqual({ emailSendingAccount: "COGNITO_DEFAULT" });
  });

  test("goes through SES with the stack's sender", async () => {
    const identityArn = "arn:aws:ses:eu-central-1:000000000000:identity/archway.example";
    const mail = JSON.stringify({ from: "Archway <no-reply@archway.example>", identityArn });
    const declared = await identityWith({ "archway:mail": mail });
    expect(declared.get("aws:cognito/userPool:UserPool", "identity").inputs.emailConfiguration).toEqual({
      emailSendingAccount: "DEVELOPER",
      fromEmailAddress: "Archway <no-reply@archway.example>",
      sourceArn: identityArn,
    });
  });
});

test("instances are kept for the triggers only if the stack says so", async () => {
  const reserved = (declared: typeof program) =>
    declared.get("aws:lambda/function:Function", "identity-triggers").inputs.reservedConcurrentExecutions;
  expect(reserved(program)).toBeUndefined();
  expect(reserved(await identityWith({ "archway:reservedConcurrency": '{"triggers":20}' }))).toBe(20);
});

test("the triggers get the table and the platform's administrators", () => {
  const { variables } = program.get("aws:lambda/function:Function", "identity-triggers").inputs.environment;
  expect(variables).toEqual({ TABLE_NAME: "archway-local", PLATFORM_ADMINS: '["admin@archway.example"]' });
});
