import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Context, PreSignUpTriggerEvent } from "aws-lambda";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import type { ExternalIdentity, NativeAccount } from "../../../domain/tenancy/first-sign-in.ts";
import { type TriggerEvent, triggersHandler } from "../../../handlers/triggers/handler.ts";
import { type LogLine, openControlPlane, tableName } from "../../support/control-plane.ts";
import { aMoment, memberCommand } from "../../support/members.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

let plane: ControlPlane;
let lines: LogLine[];
let people = 0;
let sub: string;
let native: Record<string, NativeAccount | Error>;
let links: { pool: string; username: string; identity: ExternalIdentity }[];
beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());
beforeEach(() => {
  lines = [];
  native = {};
  links = [];
  sub = `person-${people++}`;
});

function handle(event: TriggerEvent) {
  const { users, tenants } = plane.stores;
  const handler = triggersHandler({
    users,
    tenants,
    accounts: (pool) => ({
      byEmail: async (email) => {
        const found = native[email];
        if (found instanceof Error) throw found;
        return found;
      },
      link: async ({ username }, identity) => void links.push({ pool, username, identity }),
    }),
    identityProviders: ["Google", "Corp-SSO"],
    platformAdmins: ["root@archway.test"],
    clock: plane.clock,
    log: {
      info: () => {},
      problem: (message, facts, error) => lines.push({ message, facts, error }),
    },
  });
  return handler(event, {} as Context);
}

function run(triggerSource: string, attributes: Record<string, string> = {}, clientId = "console-client") {
  return handle({
    version: "2",
    triggerSource,
    callerContext: { clientId, awsSdkVersion: "3" },
    request: { userAttributes: { sub, email: `${sub}@acme.test`, email_verified: "true", ...attributes } },
    response: {},
  } as unknown as TriggerEvent);
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
  expect(idTokenGeneration).toEqual(accessTokenGeneration);
  return accessTokenGeneration as { claimsToAddOrOverride: Record<string, string>; claimsToSuppress: string[] };
}

const invite = (tenant_id: string) => plane.document.send(memberCommand({ sub, tenant_id, invited_at: aMoment }));

describe("before sign-up", () => {
  const email = "ann@acme.test";
  const holder = { username: "native-ann", holdsAddress: true };

  test.each(["SignUp", "AdminCreateUser"])("%s passes as it is", async (source) => {
    native[email] = holder;
    const { event, answer } = signUpWith("some-uuid", { email }, source);
    expect(await answer).toEqual(event);
    expect(links).toEqual([]);
  });

  test("a vouched address joins its account: the provider by its declared name, the event unchanged", async () => {
    native[email] = holder;
    const { event, answer } = signUpWith("google_123", { email, email_verified: "true" });
    expect(await answer).toEqual(event);
    const identity = { provider: "Google", subject: "123" };
    expect(links).toEqual([{ pool: "eu-central-1_pool", username: "native-ann", identity }]);
  });

  test("a subject whose case counts is the mapped one, not the username's", async () => {
    native[email] = holder;
    const attributes = { email, email_verified: "true", "custom:subject": "MDr_hJ2a" };
    await signUpWith("corp-sso_mdr_hj2a", attributes).answer;
    expect(links).toMatchObject([{ identity: { provider: "Corp-SSO", subject: "MDr_hJ2a" } }]);
  });

  test.each([
    ["a subject with a case that is not mapped", "corp-sso_mdrhj2a", {}],
    ["a mapped subject of somebody else", "google_123", { "custom:subject": "124" }],
    ["a provider that the stack does not declare", "evil_123", {}],
  ])("%s links nothing, and nobody comes in", async (_what, userName, mapped) => {
    native[email] = holder;
    const { answer } = signUpWith(userName, { email, email_verified: "true", ...mapped });
    await expect(answer).rejects.toThrow("The platform cannot sign you in right now, try again");
    expect(links).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  test("an address that nobody vouches for is refused if it has an account, in words for its reader, and is no problem", async () => {
    native[email] = holder;
    for (const email_verified of ["false", "", "TRUE", "1"]) {
      const { answer } = signUpWith("google_123", { email, email_verified });
      await expect(answer).rejects.toThrow(/^Google has not confirmed that this e-mail address is yours/);
    }
    expect([links, lines]).toEqual([[], []]);
  });

  test("an unknown address passes, vouched for or not", async () => {
    for (const email_verified of ["true", "false"]) {
      const { event, answer } = signUpWith("google_123", { email, email_verified });
      expect(await answer).toEqual(event);
    }
    expect(links).toEqual([]);
  });

  test("an account that cannot be looked up lets nobody in", async () => {
    native[email] = new Error("TooManyRequestsException");
    const { answer } = signUpWith("google_123", { email, email_verified: "true" });
    await expect(answer).rejects.toThrow("The platform cannot sign you in right now, try again");
  });
});

describe("after confirmation", () => {
  test("who signed up alone has a pending profile", async () => {
    const event = await run("PostConfirmation_ConfirmSignUp");
    expect(event).toMatchObject({ triggerSource: "PostConfirmation_ConfirmSignUp" });
    expect((await plane.stores.users.record(sub)).profile).toMatchObject({
      sub,
      email: `${sub}@acme.test`,
      approval_status: "pending",
    });
  });

  test("who was invited is approved and active, however often the trigger fires", async () => {
    await invite("t1");
    for (let repeat = 0; repeat < 3; repeat++) await run("PostConfirmation_ConfirmSignUp");
    const { profile, memberships } = await plane.stores.users.record(sub);
    expect(profile).toMatchObject({ approval_status: "approved" });
    expect(memberships).toMatchObject([{ tenant_id: "t1", status: "active", invited_at: aMoment }]);
  });

  test("a new password changes nothing", async () => {
    await run("PostConfirmation_ConfirmForgotPassword");
    expect((await plane.stores.users.record(sub)).profile).toBeUndefined();
  });
});

describe("every token", () => {
  test("has no claims of the platform for a person without a workspace, and suppresses look-alikes", async () => {
    expect(await claims({ "custom:tenant_role": "owner" })).toEqual({
      claimsToAddOrOverride: {},
      claimsToSuppress: ["tenant_id", "tenant_role", "custom:tenant_role", "platform_role"],
    });
  });

  test("names workspace and role", async () => {
    const { tenant_id } = await plane.workspace("Tokens", sub);
    expect(await claims()).toEqual({
      claimsToAddOrOverride: { tenant_id, tenant_role: "owner", "custom:tenant_role": "owner" },
      claimsToSuppress: ["platform_role"],
    });
  });

  test("activates an invitation, for people whom an administrator created", async () => {
    const { tenant_id } = await plane.workspace("Inviting");
    await invite(tenant_id);
    const { claimsToAddOrOverride } = await claims();
    expect(claimsToAddOrOverride).toMatchObject({ tenant_id, tenant_role: "developer" });
    expect((await plane.stores.users.record(sub)).profile).toMatchObject({ approval_status: "approved" });
  });

  test("says nothing of a workspace from which the person was removed", async () => {
    const { tenant_id } = await plane.workspace("Removing");
    await plane.document.send(memberCommand({ sub, tenant_id, invited_at: aMoment, status: "removed" }));
    expect((await claims()).claimsToAddOrOverride).toEqual({});
    expect(await plane.stores.users.membership(sub, tenant_id)).toMatchObject({ status: "removed" });
  });

  test("follows the active workspace of its app client", async () => {
    const first = await plane.workspace("First of two", sub);
    plane.db.clock.advance(1_000);
    const { body: second } = await plane.call("POST", "/v1/tenants", {
      as: { sub, client_id: "token-helper" },
      body: { name: "Second of two" },
    });
    expect((await claims({}, "console-client")).claimsToAddOrOverride.tenant_id).toBe(first.tenant_id);
    expect((await claims({}, "token-helper")).claimsToAddOrOverride.tenant_id).toBe(second.tenant_id);
    expect((await claims({}, "elsewhere")).claimsToAddOrOverride.tenant_id).toBe(second.tenant_id);
  });

  test("says nothing of a deleted workspace", async () => {
    const { tenant_id } = await plane.workspace("Deleting", sub);
    await plane.document.send(
      new UpdateCommand({
        TableName: tableName,
        Key: keys.tenant(tenant_id),
        UpdateExpression: "SET #status = :deleted",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":deleted": "deleted" },
      }),
    );
    expect((await claims()).claimsToAddOrOverride).toEqual({});
  });

  test.each([
    ["of a verified administrator", { email: "Root@Archway.test" }, { platform_role: "platform_admin" }],
    ["of an unverified one", { email: "root@archway.test", email_verified: "false" }, {}],
    ["of somebody else", { email: "root@archway.test.evil.test" }, {}],
  ])("%s has the platform role that goes with it", async (_who, attributes, expected) => {
    expect((await claims(attributes)).claimsToAddOrOverride).toEqual(expected);
  });

  test.each(["Authentication", "NewPasswordChallenge", "RefreshTokens"])("is made so by %s too", async (source) => {
    const { tenant_id } = await plane.workspace(`By ${source}`, sub);
    expect(await run(`TokenGeneration_${source}`)).toMatchObject({
      response: {
        claimsAndScopeOverrideDetails: { accessTokenGeneration: { claimsToAddOrOverride: { tenant_id } } },
      },
    });
  });
});

describe("what goes wrong", () => {
  test("ends the sign-in, and tells the person nothing of the cause", async () => {
    await expect(run("TokenGeneration_HostedAuth", { email: "" })).rejects.toThrow(
      "The platform cannot sign you in right now, try again",
    );
    expect(lines).toMatchObject([{ message: "trigger", facts: { trigger: "TokenGeneration_HostedAuth", sub } }]);
    expect(String(lines[0]?.error)).toMatch("no e-mail address");
  });

  test("an unknown trigger is an error", async () => {
    await expect(run("CustomMessage_SignUp")).rejects.toThrow();
    expect(String(lines[0]?.error)).toBe("Error: unknown trigger: CustomMessage_SignUp");
  });
});
