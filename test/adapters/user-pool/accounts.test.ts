import { CognitoIdentityProviderClient } from "@aws-sdk/client-cognito-identity-provider";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { cognitoAccounts } from "../../../adapters/user-pool/accounts.ts";
import { password, poolArn, poolId, poolWithMessages } from "../../../emulators/test/cognito/declarations.ts";
import { authorizeUrl, Browser, postToken, signInWithPkce, start } from "../../../emulators/test/cognito/harness.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";

const ann = "ann@example.com";
const actions = ["AdminGetUser", "AdminCreateUser", "AdminDeleteUser", "AdminUserGlobalSignOut", "ListUsers"].map(
  (name) => `cognito-idp:${name}`,
);

let cognito: Awaited<ReturnType<typeof start>>;
let endpoint: RunningEndpoint;
let client: CognitoIdentityProviderClient;
beforeEach(async () => {
  cognito = await start({ pool: poolWithMessages });
  endpoint = await startEndpoint({
    resources: resources(aRole("provision", [allow(actions, poolArn)])),
    services: () => [cognito.provider],
  });
  client = new CognitoIdentityProviderClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("provision"))));
});
afterEach(async () => {
  client.destroy();
  await endpoint.close();
  await cognito[Symbol.asyncDispose]();
});

const accounts = () => cognitoAccounts(poolId, client);
const into = { workspace: { name: "Acme", slug: "acme" }, inviter: "owner@acme.test" };
const userOf = (Username: string) => cognito.call("AdminGetUser", { UserPoolId: poolId, Username });
test("inviting a person without an account creates one with a verified address, and mails the temporary password", async () => {
  const { sub, state } = await accounts().invite(ann, into);
  expect(state).toBe("created");
  const user = await userOf(ann);
  expect(user.UserStatus).toBe("FORCE_CHANGE_PASSWORD");
  expect(user.UserAttributes).toEqual(
    expect.arrayContaining([
      { Name: "sub", Value: sub },
      { Name: "email", Value: ann },
      { Name: "email_verified", Value: "true" },
    ]),
  );
  expect(cognito.mails).toEqual([expect.objectContaining({ to: ann })]);
});

test("the trigger that words the mail learns workspace and inviter, also when the mail is repeated", async () => {
  await accounts().invite(ann, into);
  await accounts().resend(ann, { ...into, inviter: undefined });
  const told = cognito.events.flatMap(({ triggerSource, request }) =>
    triggerSource === "CustomMessage_AdminCreateUser" ? [request.clientMetadata] : [],
  );
  const workspace = { workspace_name: "Acme", workspace_slug: "acme" };
  expect(told).toEqual([{ ...workspace, inviter: "owner@acme.test" }, workspace]);
});

test("inviting an invited person again sends no second mail", async () => {
  const { sub } = await accounts().invite(ann, into);
  expect(await accounts().invite("Ann@Example.com", into)).toEqual({ sub, state: "invited" });
  expect(cognito.mails).toHaveLength(1);
});

test("the account of a person who has signed in is active", async () => {
  const { sub } = await accounts().invite(ann, into);
  await cognito.call("AdminSetUserPassword", {
    UserPoolId: poolId,
    Username: ann,
    Password: password,
    Permanent: true,
  });
  expect(await accounts().invite(ann, into)).toEqual({ sub, state: "active" });
});

test("an unconfirmed sign-up gives way to an invitation, and its password does not work", async () => {
  await cognito.signUp(ann);
  const before = await userOf(ann);
  expect(before.UserStatus).toBe("UNCONFIRMED");
  const { sub, state } = await accounts().invite(ann, into);
  expect(state).toBe("created");
  expect(JSON.stringify(before)).not.toContain(sub);
  expect((await userOf(ann)).UserStatus).toBe("FORCE_CHANGE_PASSWORD");
});

test("only accounts that were invited and have not signed in are listed", async () => {
  const { sub } = await accounts().invite(ann, into);
  await accounts().invite("ben@example.com", into);
  await cognito.call("AdminSetUserPassword", {
    UserPoolId: poolId,
    Username: "ben@example.com",
    Password: password,
    Permanent: true,
  });
  expect(await accounts().listInvited()).toEqual({
    accounts: [{ sub, changedAt: expect.any(Number) }],
    next: undefined,
  });
});

test("two simultaneous invitations create one account", async () => {
  const invited = await Promise.all(Array.from({ length: 5 }, () => accounts().invite(ann, into)));
  expect(new Set(invited.map(({ sub }) => sub)).size).toBe(1);
  expect(cognito.mails).toHaveLength(1);
});

test("an invitation whose answer was lost is found when it is repeated", async () => {
  endpoint.faults.put([{ service: "cognito-idp", operation: "AdminCreateUser", when: "after", kind: "error" }]);
  await expect(accounts().invite(ann, into)).rejects.toMatchObject({ code: "identity_unavailable" });
  expect(await accounts().invite(ann, into)).toMatchObject({ state: "invited" });
});

test("an address that Cognito does not accept is refused by name", async () => {
  await expect(accounts().invite("nobody", into)).rejects.toMatchObject({
    code: "invalid_request",
    fields: [{ path: "email" }],
    message: expect.not.stringContaining("nobody"),
  });
});

test("an invitation is mailed again with a new password, until it has been used", async () => {
  expect(await accounts().resend(ann, into)).toBe(false);
  await accounts().invite(ann, into);
  expect(await accounts().resend(ann, into)).toBe(true);
  const [first, second] = cognito.mails.map(({ text }) => text);
  expect(second).not.toBe(first);
  await cognito.call("AdminSetUserPassword", {
    UserPoolId: poolId,
    Username: ann,
    Password: password,
    Permanent: true,
  });
  expect(await accounts().resend(ann, into)).toBe(false);
  expect(cognito.mails).toHaveLength(2);
});

test("an unconfirmed sign-up is found with its time, and can be removed until it is confirmed", async () => {
  await cognito.signUp(ann);
  const sub = cognito.provider.subOf(ann) ?? "";
  await accounts().invite("ben@example.com", into);
  expect(await accounts().listUnconfirmed()).toEqual({
    accounts: [{ sub, createdAt: expect.any(Number) }],
    next: undefined,
  });
  expect(await accounts().removeUnconfirmed(sub)).toBe(true);
  expect(await accounts().removeUnconfirmed(sub)).toBe(false);
  await cognito.signUp(ann);
  const confirmed = cognito.provider.subOf(ann) ?? "";
  await cognito.call("AdminSetUserPassword", {
    UserPoolId: poolId,
    Username: ann,
    Password: password,
    Permanent: true,
  });
  expect(await accounts().removeUnconfirmed(confirmed)).toBe(false);
});

test("all accounts are listed by their subs, a page at a time", async () => {
  const invited = await Promise.all(Array.from({ length: 62 }, (_, n) => accounts().invite(`p${n}@example.com`, into)));
  const first = await accounts().list();
  const second = await accounts().list(first.next);
  expect([first.subs.length, second.subs.length, second.next]).toEqual([60, 2, undefined]);
  expect(new Set([...first.subs, ...second.subs])).toEqual(new Set(invited.map(({ sub }) => sub)));
});

test("an account is removed only once", async () => {
  const { sub } = await accounts().invite(ann, into);
  expect(await accounts().remove(sub)).toBe(true);
  expect(await accounts().remove(sub)).toBe(false);
  await expect(userOf(ann)).rejects.toMatchObject({ code: "UserNotFoundException" });
});

test("ending all sign-ins has no effect for a person without an account", async () => {
  const { sub } = await cognito.addUser(ann);
  const { refresh_token } = await signInWithPkce(cognito, ann);
  await accounts().endSignIns(sub);
  const again = { grant_type: "refresh_token", client_id: "public", refresh_token };
  expect(await postToken(cognito, again)).toMatchObject({ status: 400, error: "invalid_grant" });
  await accounts().endSignIns("nobody");
});

describe("somebody of an external provider", () => {
  /** Signs in for the first time, as the provider's page lets one do. */
  async function withGoogle(email: string, isVouchedFor: boolean, subject = ""): Promise<string> {
    const browser = new Browser(cognito);
    const page = await browser.open(authorizeUrl(cognito, { identity_provider: "Google" }));
    await browser.submit(page, { email, ...(isVouchedFor && { email_verified: "true" }), subject });
    const last = cognito.events.at(-1) as unknown as { request: { userAttributes: { sub: string } } };
    return last.request.userAttributes.sub;
  }

  test("a person whose external provider vouches for the address is invited with that account, and gets no second one", async () => {
    const sub = await withGoogle(ann, true);
    expect(await accounts().invite(ann, into)).toEqual({ sub, state: "active" });
    expect((await cognito.call("ListUsers", { UserPoolId: poolId })).Users).toHaveLength(1);
    expect(cognito.mails).toEqual([]);
  });

  test("a person whose external provider does not vouch for the address is not the invited person", async () => {
    const sub = await withGoogle(ann, false);
    const invited = await accounts().invite(ann, into);
    expect([invited.sub === sub, invited.state]).toEqual([false, "created"]);
  });

  test("a person of an external provider has priority over an unconfirmed sign-up with the same address", async () => {
    await cognito.signUp(ann);
    const sub = await withGoogle(ann, true);
    expect(await accounts().invite(ann, into)).toEqual({ sub, state: "active" });
    await expect(userOf(ann)).rejects.toMatchObject({ code: "UserNotFoundException" });
  });

  test("a person with an unproved address in a linked account does not get the invitation to that address", async () => {
    const { sub } = await accounts().invite("mallory@example.com", into);
    await cognito.call("AdminLinkProviderForUser", {
      UserPoolId: poolId,
      DestinationUser: { ProviderName: "Cognito", ProviderAttributeValue: sub },
      SourceUser: { ProviderName: "Google", ProviderAttributeName: "Cognito_Subject", ProviderAttributeValue: "123" },
    });
    expect(await withGoogle(ann, false, "123")).toBe(sub);
    await expect(accounts().invite(ann, into)).rejects.toMatchObject({
      code: "address_unproven",
      fields: [{ path: "email" }],
    });
    expect(await withGoogle(ann, true, "123")).toBe(sub);
    expect(await accounts().invite(ann, into)).toEqual({ sub, state: "active" });
  });

  test("a person of an external provider is removed by the sub, which is not the username", async () => {
    const sub = await withGoogle(ann, true);
    expect(await accounts().remove(sub)).toBe(true);
    expect((await cognito.call("ListUsers", { UserPoolId: poolId })).Users).toEqual([]);
    expect(await accounts().remove(sub)).toBe(false);
  });

  test("a person of an external provider is signed out by the sub", async () => {
    const sub = await withGoogle(ann, true);
    const asked: unknown[] = [];
    client.middlewareStack.add(
      (next, { commandName }) =>
        (call) => {
          asked.push([commandName, (call.input as { Username?: string }).Username]);
          return next(call);
        },
      { step: "initialize" },
    );
    await accounts().endSignIns(sub);
    const username = (await cognito.call("ListUsers", { UserPoolId: poolId })).Users[0].Username;
    expect(username).not.toBe(sub);
    expect(asked.at(-1)).toEqual(["AdminUserGlobalSignOutCommand", username]);
  });

  test("a person of an external provider who is linked to an invited account is active, although its password was never used", async () => {
    const { sub } = await accounts().invite(ann, into);
    await cognito.call("AdminLinkProviderForUser", {
      UserPoolId: poolId,
      DestinationUser: { ProviderName: "Cognito", ProviderAttributeValue: sub },
      SourceUser: { ProviderName: "Google", ProviderAttributeName: "Cognito_Subject", ProviderAttributeValue: "123" },
    });
    expect(await accounts().invite(ann, into)).toEqual({ sub, state: "active" });
    expect(await accounts().resend(ann, into)).toBe(false);
  });
});
