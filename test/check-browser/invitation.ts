// The console's contract with the sign-in host for those who come by Google or by an invitation, and its error page.
import { consoleToken } from "../../local/demo/app-client.ts";
import { callControlPlane } from "../../local/demo/workspace.ts";
import type { Stack } from "../../local/running-stack.ts";
import { inspect } from "./accessibility.ts";
import type { Browser } from "./browser.ts";
import { expect, type Person } from "./person.ts";

/** `SignInRefused` of the trigger, as Cognito ends it. */
const refusedAddress =
  "Google has not confirmed that this e-mail address is yours, and it has an account here: sign in with the password or the " +
  "mailed invitation, or confirm the address at Google first.";

export async function checkInvitation(stack: Stack, browser: Browser, person: Person): Promise<void> {
  await comeByGoogle(browser, person);
  await comeByMail(stack, browser, person);
  await joinByGoogle(stack, browser, person);
  await browser.goTo(`${stack.at("auth")}/oauth2/authorize?client_id=nobody`);
  await person.expectPage("An error was encountered with the requested page");
  await inspect(browser, "error");
}

async function comeByGoogle(browser: Browser, person: Person): Promise<void> {
  await person.openSignIn();
  await person.follow("Continue with Google");
  await person.expectPage("Sign in with Google");
  await inspect(browser, "google");
  await person.fill("grace@browser.example");
  await person.expectAtConsole("signed in");
  const { id, access, person: told, me, mine } = await person.shown();
  expect("the person of Google", [id.email_verified, told.email], [true, "grace@browser.example"]);
  expect("GET /v1/me", [me.approval_status, me.memberships], ["approved", []]);
  expect("GET /v1/tenants/my", [mine.status, access.tenant_id], [404, undefined]);
  await person.press("sign-out");
  console.log("continued     with Google as somebody new: no workspace yet");
}

async function comeByMail(stack: Stack, browser: Browser, person: Person): Promise<void> {
  const email = "eve@browser.example";
  await invite(stack, email);
  await person.openSignIn();
  await person.fill(email, /temporary password is:\s+(\S+)/.exec(await person.mailedTo(email))?.[1] ?? "");
  await person.expectPage("Change your password");
  await inspect(browser, "change-password");
  await person.fill("Browser-password-1");
  await expectDeveloper(person);
  console.log("invited       by mail, replaced the temporary password, is in the workspace");
}

async function joinByGoogle(stack: Stack, browser: Browser, person: Person): Promise<void> {
  const email = "lin@browser.example";
  await invite(stack, email);
  await person.openSignIn();
  await person.follow("Continue with Google");
  await person.expectPage("Sign in with Google");
  await browser.click("[name=email_verified]");
  await browser.click("[name=email]");
  await person.fill(email);
  await person.expectAtConsole("failed", refusedAddress);
  console.log("refused       Google's word for an invited address that it has not verified, in words for the person");
  await person.openSignIn();
  await person.follow("Continue with Google");
  await person.expectPage("Sign in with Google");
  const first = JSON.stringify(await browser.evaluate("location.href"));
  await person.fill(email);
  // The console tries again by itself. Google would not ask again, and the page that plays it does.
  await browser.until(`location.pathname.endsWith("/simulated-provider") && location.href !== ${first}`);
  await person.expectPage("Sign in with Google");
  await person.fill(email);
  await expectDeveloper(person);
  console.log("joined        the invitation with Google, which had verified the address");
}

async function invite(stack: Stack, email: string): Promise<void> {
  const owner = await consoleToken(stack, stack.demo?.owner ?? { email: "", password: "" });
  await callControlPlane(stack, owner, "POST", "/v1/users/invite", { email });
}

async function expectDeveloper(person: Person): Promise<void> {
  await person.expectAtConsole("signed in");
  const { mine, access } = await person.shown();
  expect("the invited person's claims", [mine.status, access.tenant_role], [200, "developer"]);
  await person.press("sign-out");
}
