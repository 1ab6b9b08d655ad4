import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Context } from "aws-lambda";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import { type TriggerEvent, triggersHandler } from "../../../handlers/triggers/handler.ts";
import { type LogLine, openControlPlane, tableName } from "../../support/control-plane.ts";
import { aMoment, memberCommand } from "../../support/members.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

let plane: ControlPlane;
let lines: LogLine[];
let people = 0;
let sub: string;
beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());
beforeEach(() => {
  lines = [];
  sub = `person-${people++}`;
});

function run(triggerSource: string, attributes: Record<string, string> = {}, clientId = "console-client") {
  const { users, tenants } = plane.stores;
  const handler = triggersHandler({
    users,
    tenants,
    platformAdmins: ["root@archway.test"],
    clock: plane.clock,
    log: {
      info: () => {},
      problem: (message, facts, error) => lines.push({ message, facts, error }),
    },
  });
  const event = {
    version: "2",
    triggerSource,
    callerContext: { clientId, awsSdkVersion: "3" },
    request: { userAttributes: { sub, email: `${sub}@acme.test`, email_verified: "true", ...attributes } },
    response: {},
  } as unknown as TriggerEvent;
  return handler(event, {} as Context);
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
