import { expect, test } from "@jest/globals";
import { totp } from "../../../cognito/people/totp.ts";
import { declaredPool, password, poolId, publicClient } from "../declarations.ts";
import { authorizeUrl, Browser, refusal, type Stack, signInWithPkce, start } from "../harness.ts";

const email = "ann@example.com";
const selfService = "aws.cognito.signin.user.admin";
const pool = {
  ...declaredPool,
  mfaConfiguration: "OPTIONAL",
  softwareTokenMfaConfiguration: { enabled: true },
};
const client = { ...publicClient, allowedOauthScopes: [...publicClient.allowedOauthScopes, selfService] };
const optional = { pool, clients: [client] };

async function ownToken(stack: Stack): Promise<string> {
  const { access_token } = await signInWithPkce(stack, email, { scope: `openid ${selfService}` });
  return access_token;
}

/** Someone with an authenticator app, as a console sets it up; gives what the app shows at a time. */
async function enrol(stack: Stack): Promise<{ code: () => string; AccessToken: string }> {
  const AccessToken = await ownToken(stack);
  const { SecretCode } = await stack.call("AssociateSoftwareToken", { AccessToken });
  const code = () => totp(SecretCode, stack.clock.now());
  await stack.call("VerifySoftwareToken", { AccessToken, UserCode: code() });
  const SoftwareTokenMfaSettings = { Enabled: true, PreferredMfa: true };
  await stack.call("SetUserMFAPreference", { AccessToken, SoftwareTokenMfaSettings });
  // A code is good once.
  stack.clock.advance(30_000);
  return { code, AccessToken };
}

test("a person with an authenticator app is asked for its code after the password", async () => {
  await using stack = await start(optional);
  await stack.addUser(email);
  const { code, AccessToken } = await enrol(stack);
  const settings = { UserMFASettingList: ["SOFTWARE_TOKEN_MFA"], PreferredMfaSetting: "SOFTWARE_TOKEN_MFA" };
  expect(await stack.call("GetUser", { AccessToken })).toMatchObject(settings);
  expect(await stack.call("AdminGetUser", { UserPoolId: poolId, Username: email })).toMatchObject(settings);
  const browser = new Browser(stack);
  const asked = await browser.signIn(authorizeUrl(stack), email);
  expect([asked.status, asked.leftFor]).toEqual([200, undefined]);
  expect(asked.html).toContain("<h1>Enter the code of your app</h1>");
  expect(asked.html).toContain('autocomplete="one-time-code" required inputmode="numeric" autofocus>');
  const wrong = await browser.submit(asked, { code: "00000x" });
  expect(wrong).toMatchObject({ status: 400 });
  expect(wrong.html).toContain("Invalid code received for user");
  const done = await browser.submit(wrong, { code: code() });
  expect(done.leftFor?.searchParams.has("code")).toBe(true);
});

test("a person without an authenticator app is not asked for a code, and in a pool without a second factor no person is asked", async () => {
  await using stack = await start(optional);
  await stack.addUser(email);
  const AccessToken = await ownToken(stack);
  const { SecretCode } = await stack.call("AssociateSoftwareToken", { AccessToken });
  expect((await new Browser(stack).signIn(authorizeUrl(stack), email)).leftFor).toBeDefined();
  await stack.call("VerifySoftwareToken", { AccessToken, UserCode: totp(SecretCode, stack.clock.now()) });
  expect((await new Browser(stack).signIn(authorizeUrl(stack), email)).leftFor).toBeDefined();
  await using off = await start({ ...optional, pool: declaredPool });
  await off.addUser(email);
  const refused = await refusal(off.call("AssociateSoftwareToken", { AccessToken: await ownToken(off) }));
  expect([refused.code, refused.message]).toEqual([
    "SoftwareTokenMFANotFoundException",
    "Software Token MFA has not been enabled by the userPool",
  ]);
});

test("an app's code is accepted once; a sign-in ends after five wrong codes, or after three minutes", async () => {
  await using stack = await start(optional);
  await stack.addUser(email);
  const { code } = await enrol(stack);
  const browser = new Browser(stack);
  const ask = () => new Browser(stack).signIn(authorizeUrl(stack), email);
  const first = await browser.signIn(authorizeUrl(stack), email);
  const used = code();
  expect((await browser.submit(first, { code: used })).leftFor).toBeDefined();
  expect((await browser.submit(first, { code: used })).html).toContain("Invalid session for the user");
  const again = await browser.signIn(authorizeUrl(stack, { prompt: "login" }), email);
  expect((await browser.submit(again, { code: used })).html).toContain("has already been used once");
  for (let attempt = 2; attempt <= 5; attempt += 1) await browser.submit(again, { code: "x" });
  stack.clock.advance(30_000);
  expect((await browser.submit(again, { code: code() })).html).toContain("Invalid session for the user");
  expect((await ask()).status).toBe(200);
  const late = await browser.signIn(authorizeUrl(stack, { prompt: "login" }), email);
  stack.clock.advance(3 * 60_000);
  expect((await browser.submit(late, { code: code() })).html).toContain("Invalid session for the user");
});

test("a session for one challenge cannot answer another", async () => {
  await using stack = await start(optional);
  await stack.addUser(email);
  await enrol(stack);
  const browser = new Browser(stack);
  const asked = await browser.signIn(authorizeUrl(stack), email);
  const elsewhere = { ...asked, html: asked.html.replace("../mfa", "../newPassword").replace("mfa?", "newPassword?") };
  const refused = await browser.submit(elsewhere, { password: "Another-horse-2" });
  expect([refused.status, refused.leftFor]).toEqual([400, undefined]);
  expect(refused.html).toContain("Invalid session for the user");
});

test("a person with a temporary password is also asked for the app's code", async () => {
  await using stack = await start(optional);
  await stack.addUser(email);
  const { code } = await enrol(stack);
  const temporary = { UserPoolId: poolId, Username: email, Password: "Temporary-horse-1", Permanent: false };
  await stack.call("AdminSetUserPassword", temporary);
  const browser = new Browser(stack);
  const asked = await browser.signIn(authorizeUrl(stack), email, "Temporary-horse-1");
  const next = await browser.submit(asked, { password });
  expect(next.html).toContain("<h1>Enter the code of your app</h1>");
  expect((await browser.submit(next, { code: code() })).leftFor?.searchParams.has("code")).toBe(true);
});

test("a sign-in through an external provider, or by a browser's session, is not asked for an app's code", async () => {
  await using stack = await start(optional);
  await stack.addUser(email);
  const browser = new Browser(stack);
  await browser.signIn(authorizeUrl(stack), email);
  await enrol(stack);
  expect((await browser.open(authorizeUrl(stack))).leftFor?.searchParams.has("code")).toBe(true);
  const google = new Browser(stack);
  const page = await google.open(authorizeUrl(stack, { identity_provider: "Google" }));
  expect((await google.submit(page, { email })).leftFor?.searchParams.has("code")).toBe(true);
});

test("changing the second factor needs a token with the scope for one's own account, and only a verified app is asked for", async () => {
  await using stack = await start(optional);
  await stack.addUser(email);
  const { access_token } = await signInWithPkce(stack, email);
  const without = await refusal(stack.call("AssociateSoftwareToken", { AccessToken: access_token }));
  expect([without.code, without.message]).toEqual([
    "NotAuthorizedException",
    "Access Token does not have required scopes",
  ]);
  const AccessToken = await ownToken(stack);
  const turnOn = { AccessToken, SoftwareTokenMfaSettings: { Enabled: true } };
  expect((await refusal(stack.call("SetUserMFAPreference", turnOn))).code).toBe("InvalidParameterException");
  await stack.call("AssociateSoftwareToken", { AccessToken });
  const mismatch = await refusal(stack.call("VerifySoftwareToken", { AccessToken, UserCode: "000000" }));
  expect([mismatch.code, mismatch.message]).toEqual(["EnableSoftwareTokenMFAException", "Code mismatch"]);
});

test("an administrator can turn off the second factor of a person who has lost the app", async () => {
  await using stack = await start(optional);
  await stack.addUser(email);
  await enrol(stack);
  const off = { UserPoolId: poolId, Username: email, SoftwareTokenMfaSettings: { Enabled: false } };
  await stack.call("AdminSetUserMFAPreference", off);
  expect((await new Browser(stack).signIn(authorizeUrl(stack), email)).leftFor?.searchParams.has("code")).toBe(true);
});
