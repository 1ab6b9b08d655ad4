// The console's contract with the sign-in host (docs/sign-in.md) for people with a password; every page is looked at.
import { totp } from "../../local/cognito/people/totp.ts";
import type { Stack } from "../../local/running-stack.ts";
import { inspect } from "./accessibility.ts";
import type { Browser } from "./browser.ts";
import { expect, type Person } from "./person.ts";

const email = "ada@browser.example";
const password = "Browser-password-1";
const changedPassword = "Browser-password-2";

/** @param origin of the console. */
export async function checkSignIn(stack: Stack, browser: Browser, person: Person, origin: string): Promise<void> {
  await browser.goTo(origin);
  await person.expectAtConsole("signed out");
  await signUp(browser, person);
  await createWorkspace(person);
  await browser.goTo(origin);
  await person.expectAtConsole("signed out");
  await person.press("sign-in");
  console.log("loaded anew   signs in without a question");
  await person.press("sign-out");
  await person.openSignIn();
  console.log("signed out    came back to the console, and is asked again");
  await replacePassword(browser, person);
  await setUpApp(stack, browser, person);
}

async function signUp(browser: Browser, person: Person): Promise<void> {
  await person.openSignIn();
  await inspect(browser, "sign-in");
  await person.fill("nobody@browser.example", "Wrong-password-1");
  await browser.until(`document.querySelector("[role=alert]") !== null`);
  await person.expectPage("Sign in");
  expect("the focus", await browser.evaluate("document.activeElement.name"), "password");
  await inspect(browser, "sign-in-refused");
  await person.follow("Sign up");
  await person.expectPage("Sign up");
  await inspect(browser, "sign-up");
  await person.fill(email, "short");
  await browser.until(`document.querySelector("[aria-invalid=true]")?.name === "password"`);
  await person.expectPage("Sign up");
  await inspect(browser, "sign-up-refused");
  await person.fill(password);
  await person.expectPage("Confirm your account");
  await browser.click("[name=again]");
  await browser.until(`document.querySelector("[role=status]")?.textContent.includes("another code") === true`);
  await person.expectPage("Confirm your account");
  await inspect(browser, "confirm");
  await person.fill(codeOf(await person.mailedTo(email)));
  await person.expectPage("Sign in");
  await inspect(browser, "sign-in-confirmed");
  // Nothing is asked twice (WCAG 2.2, 3.3.7): the address stands there.
  await person.fill(password);
  await person.expectAtConsole("signed in");
  const { mine, id, person: told } = await person.shown();
  expect("the address at userInfo", told.email, email);
  expect("GET /v1/tenants/my", [mine.status, id.tenant_id], [404, undefined]);
  console.log("signed up     by keyboard, confirmed by the mailed code, signed in: no workspace yet");
}

async function createWorkspace(person: Person): Promise<void> {
  await person.press("create");
  const { id, access, mine } = await person.shown();
  expect("GET /v1/tenants/my", [mine.status, mine.body.owner_sub], [200, id.sub]);
  for (const claims of [id, access]) {
    expect("the claims", [claims.tenant_id, claims.tenant_role], [mine.body.tenant_id, "owner"]);
  }
  console.log("created       a workspace, refreshed: its id and the role are in ID and access token");
}

async function replacePassword(browser: Browser, person: Person): Promise<void> {
  await person.follow("Forgot your password?");
  await person.expectPage("Forgot your password?");
  await inspect(browser, "forgot-password");
  await person.fill(email);
  await person.expectPage("Choose a new password");
  await inspect(browser, "choose-password");
  await person.fill(codeOf(await person.mailedTo(email)), changedPassword);
  await person.expectPage("Sign in");
  await person.fill(changedPassword);
  await person.expectAtConsole("signed in");
  console.log("forgot        the password, chose another by the mailed code, signed in");
}

async function setUpApp(stack: Stack, browser: Browser, person: Person): Promise<void> {
  await browser.click("#set-up-app");
  await person.expectPage("Sign in");
  await person.fill(email, changedPassword);
  await person.expectAtConsole("signed in");
  await person.press("set-up-app");
  const secret = String(await browser.evaluate(`document.getElementById("secret").textContent`));
  await browser.click("#code");
  await browser.type(totp(secret, stack.clock.now()));
  await person.press("set-up-app");
  await person.press("sign-out");
  // A code is good once.
  stack.clock.advance(30_000);
  await person.openSignIn();
  await person.fill(email, changedPassword);
  await person.expectPage("Enter the code of your app");
  await inspect(browser, "authenticator-app");
  await person.fill(totp(secret, stack.clock.now()));
  await person.expectAtConsole("signed in");
  await person.press("sign-out");
  console.log("set up        an authenticator app by the console's own script, and signed in with its code");
}

function codeOf(mail: string): string {
  return /\b\d{6}\b/.exec(mail)?.[0] ?? "";
}
