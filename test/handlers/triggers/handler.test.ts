import { randomUUID } from "node:crypto";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { PreSignUpTriggerEvent, PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { appClientRecord, connectorClientRecord } from "../../../adapters/dynamodb/access/app-client.record.ts";
import { signOutStore } from "../../../adapters/dynamodb/access/sign-outs.ts";
import { tokenFacts } from "../../../adapters/dynamodb/access/token-facts.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { scopes } from "../../../domain/access/scope.ts";
import type { ExternalIdentity, NativeAccount } from "../../../domain/people/first-sign-in.ts";
import { type TriggerEvent, triggersHandler } from "../../../handlers/triggers/handler.ts";
import { helperWriteClient, type LogLine, openControlPlane } from "../../support/control-plane.ts";
import { namedCalls } from "../../support/dynamodb/counted-calls.ts";
import { tableName } from "../../support/dynamodb/stores.ts";
import { aMoment, memberCommand } from "../../support/people/members.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

let plane: ControlPlane;
let lines: LogLine[];
let infos: LogLine[];
let mails: string[][];
let ended: string[] | Error;
let people = 0;
let sub: string;
let native: Record<string, NativeAccount | Error>;
let links: { pool: string; username: string; identity: ExternalIdentity }[];
beforeAll(async () => {
  plane = await openControlPlane();
  for (const [client_id, use] of Object.entries(clients)) await register({ client_id, use });
});
afterAll(() => plane.close());
beforeEach(() => {
  lines = [];
  infos = [];
  mails = [];
  native = {};
  links = [];
  ended = [];
  sub = `person-${people++}`;
});

function handle(event: TriggerEvent) {
  const { users } = plane.stores;
  const handler = triggersHandler({
    users,
    facts: tokenFacts(rowsOf(plane.document, tableName)),
    signOuts: signOutStore(rowsOf(plane.document, tableName)),
    mailer: {
      async send({ to, subject }) {
        mails.push([String(to), subject]);
        return "sent";
      },
    },
    platform: { brand: "Archway", consoleUrl: "https://console.example.com" },
    scopePrefix: "platform",
    accounts: (pool) => ({
      byEmail: async (email) => {
        const found = native[email];
        if (found instanceof Error) throw found;
        return found;
      },
      link: async ({ username }, identity) => void links.push({ pool, username, identity }),
      async endSignIns(sub) {
        if (ended instanceof Error) throw ended;
        ended.push(`${sub} in ${pool}`);
      },
    }),
    identityProviders: ["Google", "Corp-SSO"],
    approval: "manual",
    platformAdmins: ["root@archway.test"],
    platformSupport: ["help@archway.test"],
    clock: plane.clock,
    newId: randomUUID,
    log: {
      info: (message, facts) => infos.push({ message, facts }),
      problem: (message, facts, error) => lines.push({ message, facts, error }),
    },
  });
  return handler(event);
}

function run(
  triggerSource: string,
  { scopes: asked, ...attributes }: Record<string, string> = {},
  clientId = "console-client",
) {
  return handle({
    version: "2",
    userPoolId: "pool",
    triggerSource,
    callerContext: { clientId, awsSdkVersion: "3" },
    request: {
      userAttributes: { sub, email: `${sub}@acme.test`, email_verified: "true", ...attributes },
      scopes: asked?.split(" "),
    },
    response: {},
  } as unknown as TriggerEvent);
}

const clients = {
  [helperWriteClient]: "token_helper_write",
  "console-client": "console",
  elsewhere: "console",
  "token-helper": "token_helper",
  skills: "skills",
};

function register(client: { client_id: string; use: string; tenant_id?: string }) {
  const record = client.use === "connector" ? connectorClientRecord : appClientRecord;
  const Item = { ...record.key(client), ...client };
  return plane.document.send(new PutCommand({ TableName: tableName, Item }));
}

/** As people print it; Cognito gives the username of a federated person in lower case, and addresses without a mapping as unverified. */
function signUpWith(userName: string, attributes: Record<string, string>, source = "ExternalProvider") {
  const event: PreSignUpTriggerEvent = {
    version: "1",
    region: "eu-central-1",
    userPoolId: "eu-central-1_pool",
    userName,
    triggerSource: `PreSignUp_${source}` as "PreSignUp_ExternalProvider",
    callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId: "console-client" },
    request: {
      userAttributes: {
        "cognito:email_alias": "",
        "cognito:phone_number_alias": "",
        email_verified: "false",
        ...attributes,
      },
      validationData: {},
    },
    response: { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false },
  };
  return { event, answer: handle(structuredClone(event)) };
}

/** The claims of ID and access token, which must be the same. */
async function claims(attributes: Record<string, string> = {}, clientId?: string) {
  const { response } = (await run("TokenGeneration_HostedAuth", attributes, clientId)) as {
    response: { claimsAndScopeOverrideDetails?: Record<string, unknown> };
  };
  const { idTokenGeneration, accessTokenGeneration } = response.claimsAndScopeOverrideDetails ?? {};
  const { scopesToSuppress: _, ...generation } = accessTokenGeneration as Record<string, unknown>;
  expect(idTokenGeneration).toEqual(generation);
  return generation as unknown as { claimsToAddOrOverride: Record<string, string>; claimsToSuppress: string[] };
}

const setStatus = (tenant_id: string, status: string) =>
  plane.document.send(
    new UpdateCommand({
      TableName: tableName,
      Key: tenantRecord.key({ tenant_id }),
      UpdateExpression: "SET #status = :status",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":status": status },
    }),
  );

const invite = (tenant_id: string) =>
  plane.document.send(memberCommand({ sub, tenant_id, invited_at: aMoment, email: `${sub}@acme.test` }));

describe("before sign-up", () => {
  const email = "ann@acme.test";
  const holder = { username: "native-ann", holdsAddress: true, hasSecondFactor: false };

  test.each(["SignUp", "AdminCreateUser"])("a sign-up by %s is accepted unchanged", async (source) => {
    native[email] = holder;
    const { event, answer } = signUpWith("some-uuid", { email }, source);
    expect(await answer).toEqual(event);
    expect(links).toEqual([]);
  });

  test("an identity with a vouched address is linked to the account with that address, by the provider's declared name", async () => {
    native[email] = holder;
    const { event, answer } = signUpWith("google_123", { email, email_verified: "true" });
    expect(await answer).toEqual(event);
    const identity = { provider: "Google", subject: "123" };
    expect(links).toEqual([{ pool: "eu-central-1_pool", username: "native-ann", identity }]);
    expect(infos).toEqual([{ message: expect.any(String), facts: { provider: "Google", account: "native-ann" } }]);
  });

  test("a case-sensitive subject is read from its mapped attribute, and not from the username", async () => {
    native[email] = holder;
    const attributes = { email, email_verified: "true", "custom:subject": "MDr_hJ2a" };
    await signUpWith("corp-sso_mdr_hj2a", attributes).answer;
    expect(links).toMatchObject([{ identity: { provider: "Corp-SSO", subject: "MDr_hJ2a" } }]);
  });

  test.each([
    ["a subject with a case that is not mapped", "corp-sso_mdrhj2a", {}],
    ["a mapped subject of somebody else", "google_123", { "custom:subject": "124" }],
    ["a provider that the stack does not declare", "evil_123", {}],
  ])("a first sign-in with %s links nothing, and is refused", async (_what, userName, mapped) => {
    native[email] = holder;
    const { answer } = signUpWith(userName, { email, email_verified: "true", ...mapped });
    await expect(answer).rejects.toThrow("The platform cannot sign you in right now, try again");
    expect(links).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  test("an address that the provider does not vouch for is refused if it has an account, with a message for its reader, and is not logged as a problem", async () => {
    native[email] = holder;
    for (const email_verified of ["false", "", "TRUE", "1"]) {
      const { answer } = signUpWith("google_123", { email, email_verified });
      await expect(answer).rejects.toThrow(/^Google has not confirmed that this e-mail address is yours/);
    }
    expect([links, lines]).toEqual([[], []]);
  });

  test("an unknown address is accepted, vouched for or not", async () => {
    for (const email_verified of ["true", "false"]) {
      const { event, answer } = signUpWith("google_123", { email, email_verified });
      expect(await answer).toEqual(event);
    }
    expect(links).toEqual([]);
  });

  test("a failing look-up of an account refuses the sign-in", async () => {
    native[email] = new Error("TooManyRequestsException");
    const { answer } = signUpWith("google_123", { email, email_verified: "true" });
    await expect(answer).rejects.toThrow("The platform cannot sign you in right now, try again");
  });
});

describe("after confirmation", () => {
  test("after confirmation a person without an invitation has a pending profile", async () => {
    const event = await run("PostConfirmation_ConfirmSignUp");
    expect(event).toMatchObject({ triggerSource: "PostConfirmation_ConfirmSignUp" });
    expect((await plane.stores.users.record(sub)).profile).toMatchObject({
      sub,
      email: `${sub}@acme.test`,
      approval_status: "pending",
      provider: "password",
      email_verified: true,
    });
  });

  test("after confirmation a person with a verified address is told once that an approval is needed", async () => {
    for (const trigger of ["PostConfirmation_ConfirmSignUp", "TokenGeneration_HostedAuth"]) await run(trigger);
    expect(mails).toEqual([[`${sub}@acme.test`, "Your account at Archway waits for approval"]]);
    sub = `${sub}-google`;
    const identities = JSON.stringify([{ providerName: "Google", userId: "1" }]);
    const federated = { identities, "cognito:user_status": "EXTERNAL_PROVIDER", email_verified: "false" };
    await run("TokenGeneration_HostedAuth", federated);
    expect(mails).toHaveLength(1);
    expect((await plane.stores.users.record(sub)).profile).toMatchObject({ provider: "Google", email_verified: false });
  });

  test("a token of a password account with a linked identity names the password account", async () => {
    const identities = JSON.stringify([{ providerName: "Google", userId: "1" }]);
    await run("TokenGeneration_HostedAuth", { identities, "cognito:user_status": "CONFIRMED" });
    expect((await plane.stores.users.record(sub)).profile).toMatchObject({ provider: "password" });
  });

  test("after confirmation an invited person is approved and active, however often the trigger fires", async () => {
    await invite("t1");
    for (let repeat = 0; repeat < 3; repeat++) await run("PostConfirmation_ConfirmSignUp");
    const { profile, memberships } = await plane.stores.users.record(sub);
    expect(profile).toMatchObject({ approval_status: "approved" });
    expect(memberships).toMatchObject([{ tenant_id: "t1", status: "active", invited_at: aMoment }]);
  });

  test("replacing a forgotten password changes nothing in the profile", async () => {
    await run("PostConfirmation_ConfirmForgotPassword");
    expect((await plane.stores.users.record(sub)).profile).toBeUndefined();
  });

  test("replacing a forgotten password ends all earlier sign-ins, in the pool and by a recorded time", async () => {
    const begun = plane.clock();
    await run("PostConfirmation_ConfirmForgotPassword");
    expect(ended).toEqual([`${sub} in pool`]);
    expect(await plane.stores.signOuts.of(sub)).toBeGreaterThanOrEqual(begun);
  });

  test("replacing a forgotten password ends earlier sign-ins by the recorded time even if the pool does not", async () => {
    ended = new Error("throttled");
    const begun = plane.clock();
    await run("PostConfirmation_ConfirmForgotPassword");
    expect(await plane.stores.signOuts.of(sub)).toBeGreaterThanOrEqual(begun);
    expect(lines).toMatchObject([{ facts: { sub }, error: ended }]);
  });
});

describe("every token", () => {
  test("every token of a person without a workspace has no claims of the platform, and no similar ones", async () => {
    expect(await claims({ "custom:tenant_role": "owner" })).toEqual({
      claimsToAddOrOverride: {},
      claimsToSuppress: ["tenant_id", "tenant_role", "custom:tenant_role", "platform_role"],
    });
  });

  test("every token names workspace and role", async () => {
    const { tenant_id } = await plane.workspace("Tokens", sub);
    expect(await claims()).toEqual({
      claimsToAddOrOverride: { tenant_id, tenant_role: "owner", "custom:tenant_role": "owner" },
      claimsToSuppress: ["platform_role"],
    });
  });

  test("every token activates an invitation, for people whom an administrator created", async () => {
    const { tenant_id } = await plane.workspace("Inviting");
    await invite(tenant_id);
    const { claimsToAddOrOverride } = await claims();
    expect(claimsToAddOrOverride).toMatchObject({ tenant_id, tenant_role: "developer" });
    expect((await plane.stores.users.record(sub)).profile).toMatchObject({ approval_status: "approved" });
  });

  test("every token leaves out a workspace from which the person was removed", async () => {
    const { tenant_id } = await plane.workspace("Removing");
    await plane.document.send(memberCommand({ sub, tenant_id, invited_at: aMoment, status: "removed" }));
    expect((await claims()).claimsToAddOrOverride).toEqual({});
    expect(await plane.stores.users.membership(sub, tenant_id)).toMatchObject({ status: "removed" });
  });

  test("every token contains the active workspace of its app client", async () => {
    const first = await plane.workspace("First of two", sub);
    plane.db.clock.advance(1_000);
    const { body: second } = await plane.call("POST", "/v1/tenants", {
      as: { sub, client_id: helperWriteClient },
      body: { name: "Second of two" },
    });
    expect((await claims({}, "console-client")).claimsToAddOrOverride.tenant_id).toBe(first.tenant_id);
    expect((await claims({}, helperWriteClient)).claimsToAddOrOverride.tenant_id).toBe(second.tenant_id);
    expect((await claims({}, "elsewhere")).claimsToAddOrOverride.tenant_id).toBe(second.tenant_id);
  });

  test("every token leaves out a deleted workspace", async () => {
    const { tenant_id } = await plane.workspace("Deleting", sub);
    await setStatus(tenant_id, "deleted");
    expect((await claims()).claimsToAddOrOverride).toEqual({});
  });

  test("every token keeps the workspace while it is suspended", async () => {
    const { tenant_id } = await plane.workspace("Suspending", sub);
    await setStatus(tenant_id, "suspended");
    expect((await claims()).claimsToAddOrOverride).toMatchObject({ tenant_id, tenant_role: "owner" });
  });

  test.each([
    ["of a verified administrator", { email: "Root@Archway.test" }, { platform_role: "platform_admin" }],
    ["of an unverified one", { email: "root@archway.test", email_verified: "false" }, {}],
    ["of verified support", { email: "help@archway.test" }, { platform_role: "platform_support" }],
    ["of somebody else", { email: "root@archway.test.evil.test" }, {}],
  ])("a token %s has the right platform role", async (_who, attributes, expected) => {
    expect((await claims(attributes)).claimsToAddOrOverride).toEqual(expected);
  });

  test.each(["Authentication", "NewPasswordChallenge", "RefreshTokens"])(
    "every token is computed in the same way by %s",
    async (source) => {
      const { tenant_id } = await plane.workspace(`By ${source}`, sub);
      expect(await run(`TokenGeneration_${source}`)).toMatchObject({
        response: {
          claimsAndScopeOverrideDetails: { accessTokenGeneration: { claimsToAddOrOverride: { tenant_id } } },
        },
      });
    },
  );
});

describe("what a token costs", () => {
  test("a token of an active person costs two calls to the store, however many workspaces are deleted", async () => {
    const first = await plane.workspace("Deleted before", sub);
    await plane.workspace("Kept", sub);
    const body = { name: "Deleted after" };
    const { body: third } = await plane.call("POST", "/v1/tenants", { as: { sub, client_id: "token-helper" }, body });
    await run("TokenGeneration_HostedAuth");
    for (const { tenant_id } of [first, third]) await setStatus(tenant_id, "deleted");
    for (const source of ["HostedAuth", "RefreshTokens", "Authentication"]) {
      const calls = await namedCalls(plane.document, () => run(`TokenGeneration_${source}`));
      expect(calls).toEqual(["QueryCommand", "BatchGetItemCommand"]);
    }
  });

  test("a first sign-in writes the profile and each invitation, with audit entries", async () => {
    await invite("t1");
    const calls = await namedCalls(plane.document, () => run("TokenGeneration_NewPasswordChallenge"));
    const each = "TransactWriteItemsCommand";
    expect(calls).toEqual(["QueryCommand", each, each, "BatchGetItemCommand"]);
  });
});

describe("a token's app client", () => {
  const workspace = async (name: string) => (await plane.workspace(name, sub)).tenant_id;
  const suppressed = async (clientId: string) => {
    const { response } = (await run("TokenGeneration_HostedAuth", {}, clientId)) as PreTokenGenerationV2TriggerEvent;
    return response.claimsAndScopeOverrideDetails.accessTokenGeneration?.scopesToSuppress;
  };

  test("a token's app client has only its own scopes, whatever was registered for it", async () => {
    expect(await suppressed("token-helper")).toEqual(
      expect.arrayContaining(["platform/skills:rw", "platform/skills:invoke", "aws.cognito.signin.user.admin"]),
    );
    expect(await suppressed("token-helper")).not.toContain("platform/proxy:invoke");
    expect(await suppressed("console-client")).toContain("platform/proxy:invoke");
    expect(await suppressed("skills")).toEqual(
      expect.arrayContaining(["platform/proxy:invoke", "platform/control:manage"]),
    );
  });

  test("a connector's token names the gateway's workspace if the person is a member there, and has neither control nor proxy scope", async () => {
    const [first, second] = [await workspace(`First of ${sub}`), await workspace(`Second of ${sub}`)];
    await register({ client_id: `gateway-${sub}`, use: "connector", tenant_id: first });
    const { tenant_id } = (await claims({}, `gateway-${sub}`)).claimsToAddOrOverride;
    expect([tenant_id, second]).toEqual([first, expect.anything()]);
    expect(await suppressed(`gateway-${sub}`)).toEqual(
      expect.arrayContaining(["platform/proxy:invoke", "platform/control:manage", "aws.cognito.signin.user.admin"]),
    );
    const admin = { email: "root@archway.test" };
    expect((await claims(admin, `gateway-${sub}`)).claimsToAddOrOverride).not.toHaveProperty("platform_role");
  });

  test("a connector's token names no workspace if the person is not a member there, and costs two calls, too", async () => {
    await workspace(`Own of ${sub}`);
    await register({
      client_id: "gateway-elsewhere",
      use: "connector",
      tenant_id: (await plane.workspace("Elsewhere")).tenant_id,
    });
    expect((await claims({}, "gateway-elsewhere")).claimsToAddOrOverride).toEqual({});
    const calls = await namedCalls(plane.document, () => run("TokenGeneration_HostedAuth", {}, "gateway-elsewhere"));
    expect(calls).toHaveLength(2);
  });

  test("a token of an unregistered app client gets no claims of the platform", async () => {
    await workspace(`Known of ${sub}`);
    const { claimsToAddOrOverride } = await claims({ email: "root@archway.test" }, "unknown");
    expect(claimsToAddOrOverride).toEqual({});
    const platform = Object.keys(scopes).map((scope) => `platform/${scope}`);
    expect(await suppressed("unknown")).toEqual(expect.arrayContaining(platform));
  });
});

describe("when the store fails", () => {
  /** Runs with the store's nth call failing, as an outage does. */
  async function failing(nth: number, work: () => Promise<unknown>) {
    let calls = 0;
    const fail = (next: (input: never) => unknown) => (input: never) => {
      calls++;
      if (calls === nth) throw Object.assign(new Error("no answer"), { $fault: "server", $metadata: {} });
      return next(input);
    };
    plane.document.middlewareStack.add(fail as never, { step: "initialize", name: "fail" });
    return work().finally(() => plane.document.middlewareStack.remove("fail"));
  }

  test.each([
    [1, "who the person is"],
    [2, "where they work"],
  ])("if the store fails at call %i no token is issued, because %s is unknown", async (nth) => {
    await plane.workspace(`Failing ${nth} of ${sub}`, sub);
    await run("TokenGeneration_HostedAuth");
    await expect(failing(nth, () => run("TokenGeneration_RefreshTokens"))).rejects.toThrow(
      "The platform cannot sign you in right now, try again",
    );
    expect(lines).toMatchObject([{ facts: { trigger: "TokenGeneration_RefreshTokens", sub } }]);
  });

  test.each([1, 2, 3, 4])(
    "if the store fails at call %i of a first sign-in, the next token completes it",
    async (nth) => {
      const { tenant_id } = await plane.workspace(`Joining ${nth}`);
      await invite(tenant_id);
      await expect(failing(nth, () => run("TokenGeneration_NewPasswordChallenge"))).rejects.toThrow();
      expect((await claims()).claimsToAddOrOverride).toMatchObject({ tenant_id, tenant_role: "developer" });
      expect((await plane.stores.users.record(sub)).profile).toMatchObject({ approval_status: "approved" });
    },
  );

  test.each([1, 2])(
    "if the store fails at call %i after a confirmation, the first token creates the profile",
    async (nth) => {
      await expect(failing(nth, () => run("PostConfirmation_ConfirmSignUp"))).rejects.toThrow();
      await claims();
      expect((await plane.stores.users.record(sub)).profile).toMatchObject({ approval_status: "pending" });
    },
  );
});

describe("what goes wrong", () => {
  test("an unexpected error ends the sign-in, and does not show the cause to the person", async () => {
    await expect(run("TokenGeneration_HostedAuth", { email: "" })).rejects.toThrow(
      "The platform cannot sign you in right now, try again",
    );
    expect(lines).toMatchObject([{ message: "trigger", facts: { trigger: "TokenGeneration_HostedAuth", sub } }]);
    expect(String(lines[0]?.error)).toMatch("no e-mail address");
  });

  test("an unknown trigger source is an error", async () => {
    await expect(run("UserMigration_Authentication")).rejects.toThrow();
    expect(String(lines[0]?.error)).toBe("Error: unknown trigger: UserMigration_Authentication");
  });
});
