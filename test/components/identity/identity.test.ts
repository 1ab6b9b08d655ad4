import { describe, expect, test } from "@jest/globals";
import { type StackConfig, stackConfig } from "../../../components/config.ts";
import { Identity } from "../../../components/identity/identity.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { scopes } from "../../../domain/access/scope.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { type Declarations, declarationsOf } from "../../support/program/pulumi-program.ts";

const config = stackConfig(await readStackConfig(localStackFile));
const program = await identityOf(config);
const pool = program.get("aws:cognito/userPool:UserPool", "identity");
const poolArn = expect.stringMatching(/^arn:aws:cognito-idp:eu-central-1:000000000000:userpool\//);
const triggersArn = "arn:aws:lambda:eu-central-1:000000000000:function:triggers-local";

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
  test("the user pool calls the triggers, with the event that can write access tokens", () => {
    expect(pool.inputs.lambdaConfig).toEqual({
      preSignUp: triggersArn,
      postConfirmation: triggersArn,
      customMessage: triggersArn,
      preTokenGenerationConfig: { lambdaArn: triggersArn, lambdaVersion: "V2_0" },
    });
  });

  test("the user pool's triggers may send mails only with manual approval", async () => {
    const rights = (of: Declarations) =>
      JSON.stringify(of.get("aws:iam/rolePolicy:RolePolicy", "triggers").inputs.policy);
    expect(rights(program)).not.toContain("ses:SendEmail");
    expect(rights(await identityWith({ "archway:approval": "manual" }))).toContain("ses:SendEmail");
  });

  test("only the user pool may call its triggers", () => {
    expect(program.get("aws:lambda/permission:Permission", "triggers").inputs).toEqual({
      action: "lambda:InvokeFunction",
      function: "triggers-local",
      principal: "cognito-idp.amazonaws.com",
      sourceArn: poolArn,
    });
  });

  test("the user pool is not deleted in one step", () => {
    expect(pool.inputs.deletionProtection).toBe("ACTIVE");
    expect(pool.options).toMatchObject({ protect: true, retainOnDelete: true });
  });
});

test("the resource server has the platform's scopes, each with a description of what it allows", () => {
  const server = program.get("aws:cognito/resourceServer:ResourceServer", "identity").inputs;
  expect(server.identifier).toBe("platform");
  expect(server.scopes).toEqual(
    Object.entries(scopes).map(([scopeName, scopeDescription]) => ({ scopeName, scopeDescription })),
  );
});

describe("app clients", () => {
  test.each([
    ["console", 15, 12],
    ["token-helper", 60, 30 * 24],
    ["token-helper-write", 5, 1],
    ["skills", 60, 30 * 24],
  ])("access tokens of %s are valid for %i minutes, and can be refreshed for %i hours", (name, minutes, hours) => {
    expect(client(name).inputs).toMatchObject({
      accessTokenValidity: minutes,
      idTokenValidity: minutes,
      refreshTokenValidity: hours,
      tokenValidityUnits: { accessToken: "minutes", idToken: "minutes", refreshToken: "hours" },
    });
  });

  test("the console may use the control plane, the token helper models and reading, its change client the control plane, and the skills server only skills", () => {
    const standard = ["openid", "email", "profile"];
    const ownAccount = "aws.cognito.signin.user.admin";
    expect(client("console").inputs.allowedOauthScopes).toEqual([...standard, "platform/control:manage", ownAccount]);
    expect(client("token-helper").inputs.allowedOauthScopes).toEqual([
      ...standard,
      "platform/control:read",
      "platform/proxy:invoke",
    ]);
    const writing = client("token-helper-write").inputs.allowedOauthScopes;
    expect(writing).toEqual([...standard, "platform/control:manage"]);
    expect(client("skills").inputs.allowedOauthScopes).toEqual([
      ...standard,
      "platform/skills:rw",
      "platform/skills:invoke",
    ]);
  });

  test("each app client returns to the addresses of the stack's configuration", () => {
    expect(client("console").inputs).toMatchObject({
      callbackUrls: ["https://console.localhost/callback", "http://localhost:5173/callback"],
      logoutUrls: ["https://console.localhost/", "http://localhost:5173/"],
    });
    expect(client("token-helper").inputs.callbackUrls[0]).toBe("http://localhost:8400/callback");
    expect(client("token-helper").inputs.callbackUrls).toHaveLength(3);
    expect(client("skills").inputs.callbackUrls[0]).toBe("http://localhost:8410/callback");
    expect(client("skills").inputs.callbackUrls).toHaveLength(3);
  });

  test("each app client offers the configured providers and the pool's own sign-in", () => {
    const clients = program.ofType("aws:cognito/userPoolClient:UserPoolClient");
    expect(clients).toHaveLength(4);
    for (const { inputs } of clients) expect(inputs.supportedIdentityProviders).toEqual(["COGNITO", "Google"]);
  });
});

test("the secret of a provider is used only by the provider", () => {
  const others = program.all.filter(({ type }) => type !== "aws:cognito/identityProvider:IdentityProvider");
  const { providerDetails } = program.get("aws:cognito/identityProvider:IdentityProvider", "identity-google").inputs;
  expect(providerDetails.secret.client_secret).toBe("local-google-secret");
  expect(JSON.stringify(others.map(({ inputs }) => inputs))).not.toContain("local-google-secret");
});

test("the triggers have provisioned instances only if the stack says so", async () => {
  const reserved = (declared: typeof program) =>
    declared.get("aws:lambda/function:Function", "triggers").inputs.reservedConcurrentExecutions;
  expect(reserved(program)).toBeUndefined();
  expect(reserved(await identityWith({ "archway:reservedConcurrency": '{"triggers":20}' }))).toBe(20);
});

test("the triggers get the table's name and the platform's administrators", () => {
  const { variables } = program.get("aws:lambda/function:Function", "triggers").inputs.environment;
  expect(variables).toMatchObject({
    TABLE_NAME: "archway-local",
    PLATFORM_ADMINS: '["admin@archway.example"]',
    PLATFORM_SUPPORT: '["support@archway.example"]',
    IDENTITY_PROVIDERS: '["Google"]',
  });
});

test("the triggers may look up, link and sign out accounts of the pool, by a policy that is created after the pool", () => {
  const { inputs } = program.get("aws:iam/rolePolicy:RolePolicy", "identity-accounts");
  expect(inputs.role).toBe("triggers-local");
  expect(JSON.parse(inputs.policy).Statement).toEqual([
    {
      Effect: "Allow",
      Action: ["AdminGetUser", "AdminLinkProviderForUser", "AdminUserGlobalSignOut"].map(
        (name) => `cognito-idp:${name}`,
      ),
      Resource: [poolArn],
    },
  ]);
});
