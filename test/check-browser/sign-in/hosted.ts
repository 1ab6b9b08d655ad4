// The sign-in host's pages as a person meets them on the way into the console: what each refuses and says, the forgotten password, and
// the authenticator app. Every page is looked at by axe-core (docs/sign-in.md).
import type { Page } from "playwright-core";
import { totp } from "../../../emulators/cognito/people/totp.ts";
import { signUp } from "../../../local/demo/workspace.ts";
import { inspect } from "../inspect.ts";
import { expect, type Stage } from "../stage.ts";
import { signIn } from "../visitor.ts";

const password = "Browser-password-1";

/** Waits for the page of this heading, and until one can type there. */
export async function expectPage(page: Page, heading: string): Promise<void> {
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  await page.waitForFunction("[null, document.activeElement].includes(document.querySelector('[autofocus]'))");
}

/** Fills the fields in their order, from the one that has the focus, and sends the form by the Enter key. */
export async function fillIn(page: Page, ...values: string[]): Promise<void> {
  for (const [index, value] of values.entries()) {
    if (index > 0) await page.keyboard.press("Tab");
    await page.keyboard.type(value);
  }
  await page.keyboard.press("Enter");
}

export async function signUpPages(stage: Stage): Promise<string[]> {
  const { page } = await stage.visit();
  const email = stage.address("ada");
  await page.goto(stage.console);
  await expectPage(page, "Sign in");
  const problems = await inspect(page, "sign-in");
  await fillIn(page, stage.address("nobody"), "Wrong-password-1");
  await page.getByRole("alert").waitFor();
  await expectPage(page, "Sign in");
  expect("the focus", await page.evaluate("document.activeElement.name"), "password");
  problems.push(...(await inspect(page, "sign-in-refused")));
  await page.getByRole("link", { name: "Sign up" }).click();
  await expectPage(page, "Sign up");
  problems.push(...(await inspect(page, "sign-up")));
  await fillIn(page, email, "short");
  await page.locator("[name=password][aria-invalid=true]").waitFor();
  await expectPage(page, "Sign up");
  problems.push(...(await inspect(page, "sign-up-refused")));
  await fillIn(page, password);
  await expectPage(page, "Confirm your account");
  await page.locator("[name=again]").click();
  await page.getByRole("status").filter({ hasText: "another code" }).waitFor();
  await expectPage(page, "Confirm your account");
  problems.push(...(await inspect(page, "confirm")));
  await fillIn(page, stage.mailedCode(email));
  await expectPage(page, "Sign in");
  problems.push(...(await inspect(page, "sign-in-confirmed")));
  await fillIn(page, password);
  await page.getByRole("heading", { name: "Name your workspace" }).waitFor();
  problems.push(...(await inspect(page, "onboarding", { isPictured: true })));
  await page.goto(`${stage.stack.at("auth")}/oauth2/authorize?client_id=nobody`);
  await expectPage(page, "An error was encountered with the requested page");
  problems.push(...(await inspect(page, "sign-in-error")));
  return problems;
}

export async function forgottenPassword(stage: Stage): Promise<string[]> {
  const { email } = await signUp(stage.stack, stage.address("ada"));
  const { page } = await stage.visit();
  await page.goto(stage.console);
  await expectPage(page, "Sign in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await expectPage(page, "Forgot your password?");
  const problems = await inspect(page, "forgot-password");
  await fillIn(page, email);
  await expectPage(page, "Choose a new password");
  problems.push(...(await inspect(page, "choose-password")));
  await fillIn(page, stage.mailedCode(email), "Changed-password-2");
  await expectPage(page, "Sign in");
  await fillIn(page, "Changed-password-2");
  await page.getByRole("heading", { name: "Name your workspace" }).waitFor();
  return problems;
}

/** The console sets the app up by a token that may change its person's account, which is asked for only then. */
export async function secondFactor(stage: Stage): Promise<string[]> {
  const owner = await stage.owner();
  const { page, person } = owner;
  await page.goto(`${stage.console}/account`);
  await page.getByRole("button", { name: "Set up: sign in again first" }).click();
  await signIn(page, person);
  await page.getByRole("button", { name: "Show the secret" }).click();
  const secret = await page.locator("code.secret").innerText();
  const problems = await inspect(page, "account-authenticator-app", { isPictured: true });
  await page.getByLabel("The app's code").fill("000000");
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("The app's code").fill(totp(secret, stage.stack.clock.now()));
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("The app is set up.").waitFor();
  // Signing out here ends the browser's session at the sign-in host, too.
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expectPage(page, "Sign in");
  // A code is good once.
  stage.stack.clock.advance(30_000);
  await fillIn(page, person.email, person.password);
  await expectPage(page, "Enter the code of your app");
  problems.push(...(await inspect(page, "authenticator-app")));
  await fillIn(page, totp(secret, stage.stack.clock.now()));
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return problems;
}
