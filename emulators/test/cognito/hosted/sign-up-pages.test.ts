import { expect, test } from "@jest/globals";
import { password, poolId } from "../declarations.ts";
import { authorizeUrl, Browser, formOf, linkOf, mailedCode, type Stack, start } from "../harness.ts";

const email = "new@example.com";

async function openSignUp(stack: Stack) {
  const browser = new Browser(stack);
  const login = await browser.open(authorizeUrl(stack));
  return { browser, page: await browser.open(linkOf(login, "Sign up")) };
}

const sources = ({ events }: Stack) => events.map(({ triggerSource }) => triggerSource);

test("a person signs up, confirms with the mailed code and signs in", async () => {
  await using stack = await start();
  const { browser, page } = await openSignUp(stack);
  const confirm = await browser.submit(page, { username: email, password });
  expect(confirm.html).toContain(`We have sent a code by email to ${email}.`);
  expect(stack.mails).toMatchObject([
    { to: email, subject: "Your verification code", text: expect.stringMatching(/^Your confirmation code is \d{6}$/) },
  ]);
  const login = await browser.submit(confirm, { code: mailedCode(stack) });
  expect(login.html).toContain("Your account is confirmed. Sign in to continue.");
  expect(formOf(login.html).fields.username).toBe(email);
  const done = await browser.submit(login, { username: email, password });
  expect(done.leftFor?.searchParams.has("code")).toBe(true);
  expect(sources(stack)).toEqual(["PreSignUp_SignUp", "PostConfirmation_ConfirmSignUp", "TokenGeneration_HostedAuth"]);
  const { UserAttributes } = await stack.call("AdminGetUser", { UserPoolId: poolId, Username: email });
  expect(UserAttributes).toContainEqual({ Name: "email_verified", Value: "true" });
});

test.each([
  ["a weak password", { username: email, password: "weak" }, "Password not long enough"],
  [
    "an address that is taken",
    { username: "ann@example.com", password },
    "An account with the given email already exists.",
  ],
  ["no address", { username: "ann", password }, "Username should be an email."],
  ["half an address", { username: "ann@", password }, "Invalid email address format."],
  ["an address that is not of ASCII", { username: "jürgen@example.com", password }, "Invalid email address format."],
  [
    "a password of 257 characters",
    { username: email, password: `Aa1${"x".repeat(254)}` },
    "Password did not conform with policy: Password too long",
  ],
])("a sign-up with %s shows the form again", async (_case, filled, problem) => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  const { browser, page } = await openSignUp(stack);
  const again = await browser.submit(page, filled);
  expect(again).toMatchObject({ status: 400 });
  expect(again.html).toContain(problem);
  expect(sources(stack)).toEqual([]);
});

test("the trigger's refusal is shown to the person", async () => {
  await using stack = await start({
    trigger: () => {
      throw new Error("Only by invitation");
    },
  });
  const { browser, page } = await openSignUp(stack);
  const refused = await browser.submit(page, { username: email, password });
  expect(refused.html).toContain("PreSignUp failed with error Only by invitation.");
  expect((await stack.call("ListUsers", { UserPoolId: poolId })).Users).toEqual([]);
});

test("a person whom the trigger confirms needs no code", async () => {
  await using stack = await start({
    trigger: ({ triggerSource, response }) => {
      if (triggerSource.startsWith("PreSignUp"))
        Object.assign(response, { autoConfirmUser: true, autoVerifyEmail: true });
    },
  });
  const { browser, page } = await openSignUp(stack);
  const login = await browser.submit(page, { username: email, password });
  expect(login.html).toContain("Your account is confirmed.");
  expect(stack.mails).toEqual([]);
  expect(sources(stack)).toEqual(["PreSignUp_SignUp", "PostConfirmation_ConfirmSignUp"]);
});

test("a forgotten password is replaced with a mailed code", async () => {
  await using stack = await start();
  const signedUp = await stack.signUp(email);
  await signedUp.browser.submit(signedUp.page, { code: mailedCode(stack) });
  stack.events.length = 0;
  const browser = new Browser(stack);
  const login = await browser.open(authorizeUrl(stack));
  const forgot = await browser.open(linkOf(login, "Forgot your password?"));
  const confirm = await browser.submit(forgot, { username: email });
  const wrong = await browser.submit(confirm, { code: "000000x", password: "Another-horse-2" });
  expect(wrong.html).toContain("Invalid verification code provided, please try again.");
  const again = await browser.submit(wrong, { code: mailedCode(stack), password: "Another-horse-2" });
  expect(again.html).toContain("Your password is changed.");
  expect(formOf(again.html).fields.username).toBe(email);
  expect(sources(stack)).toEqual(["PostConfirmation_ConfirmForgotPassword"]);
  expect((await browser.submit(again, { username: email, password })).html).toContain(
    "Incorrect username or password.",
  );
  expect((await browser.submit(again, { username: email, password: "Another-horse-2" })).leftFor).toBeDefined();
});

test("a mailed code is refused if it is wrong, was tried too often, or is too old", async () => {
  await using stack = await start();
  const { browser, page } = await stack.signUp(email);
  const code = mailedCode(stack);
  const confirm = async (tried: string) => (await browser.submit(page, { code: tried })).html;
  for (let tries = 0; tries < 5; tries += 1) expect(await confirm("wrong")).toContain("Invalid verification code");
  expect(await confirm(code)).toContain("Attempt limit exceeded");
  await browser.submit(page, { again: "true" });
  stack.clock.advance(24 * 3_600_000);
  expect(await confirm(mailedCode(stack))).toContain("please request a code again");
});

test("the page for a forgotten password does not reveal whether an address has an account", async () => {
  await using stack = await start();
  const browser = new Browser(stack);
  const forgot = await browser.open(authorizeUrl(stack).replace("/oauth2/authorize", "/forgotPassword"));
  const confirm = await browser.submit(forgot, { username: "nobody@example.com" });
  expect(confirm.html).toContain("If nobody@example.com has an account");
  expect(stack.mails).toEqual([]);
  const wrong = await browser.submit(confirm, { code: "123456", password });
  expect(wrong.html).toContain("Invalid verification code provided, please try again.");
});

test("a code of a sign-up does not reset a password", async () => {
  await using stack = await start();
  await stack.signUp(email);
  const browser = new Browser(stack);
  const url = authorizeUrl(stack).replace("/oauth2/authorize", "/confirmForgotPassword");
  const reset = await browser.open(`${url}&username=${encodeURIComponent(email)}`);
  const refused = await browser.submit(reset, { code: mailedCode(stack), password });
  expect(refused.html).toContain("please request a code again");
});

test("a person with a temporary password gets no code to reset it", async () => {
  await using stack = await start();
  await stack.addUser(email);
  await stack.call("AdminSetUserPassword", { UserPoolId: poolId, Username: email, Password: password });
  const browser = new Browser(stack);
  const forgot = await browser.open(authorizeUrl(stack).replace("/oauth2/authorize", "/forgotPassword"));
  const refused = await browser.submit(forgot, { username: email });
  expect(refused.html).toContain("cannot be reset in the current state");
});

test("a forgotten password of an unverified address is answered like that of an unknown address", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const UserAttributes = [{ Name: "email_verified", Value: "false" }];
  await stack.call("AdminUpdateUserAttributes", { UserPoolId: poolId, Username: email, UserAttributes });
  const browser = new Browser(stack);
  const forgot = await browser.open(authorizeUrl(stack).replace("/oauth2/authorize", "/forgotPassword"));
  expect((await browser.submit(forgot, { username: email })).html).toContain(`If ${email} has an account`);
  expect(stack.mails).toEqual([]);
});

test("a new sign-up code replaces the first, and is sent only to unconfirmed accounts", async () => {
  await using stack = await start();
  const { browser, page } = await openSignUp(stack);
  const confirm = await browser.submit(page, { username: email, password });
  const again = await browser.submit(confirm, { again: "true" });
  expect(again.html).toContain(`We have sent another code by email to ${email}.`);
  expect(stack.mails).toHaveLength(2);
  expect((await browser.submit(again, { code: mailedCode(stack) })).html).toContain("Your account is confirmed.");
  expect((await browser.submit(again, { again: "true" })).html).toContain("We have sent another code");
  expect(stack.mails).toHaveLength(2);
});
