// The console's contract with the sign-in host (docs/sign-in.md), by keyboard, with every page looked at.
import { totp } from "../../local/cognito/totp.ts";
import { consoleToken } from "../../local/demo/app-client.ts";
import { callControlPlane } from "../../local/demo/workspace.ts";
import type { Stack } from "../../local/running-stack.ts";
import { inspect } from "./accessibility.ts";
import type { Browser } from "./browser.ts";

const password = "Browser-password-1";

/** What the smallest console shows (console.js). */
type Shown = {
  id: Record<string, unknown>;
  access: Record<string, unknown>;
  person: Record<string, unknown>;
  me: Record<string, unknown>;
  mine: { status: number; body: Record<string, unknown> };
};

/** @param origin of the console. */
export async function checkSignIn(stack: Stack, browser: Browser, origin: string): Promise<void> {
  const page = (heading: string) =>
    browser.until(
      `document.readyState === "complete" && document.querySelector("h1")?.textContent === ${JSON.stringify(heading)}`,
    );
  const codeMailedTo = (email: string) => /\b\d{6}\b/.exec(stack.mailbox.mails(email).at(-1)?.text ?? "")?.[0] ?? "";

  /** Fills the fields in their order, from the one that has the focus, and sends the form by the Enter key. */
  async function fill(...values: string[]): Promise<void> {
    for (const [index, value] of values.entries()) {
      if (index > 0) await browser.press("Tab");
      await browser.type(value);
    }
    await browser.press("Enter");
  }

  /** Follows a link of the page by its text. */
  const follow = (text: string) =>
    browser.evaluate(
      `[...document.querySelectorAll("a")].find(({ textContent }) => textContent === ${JSON.stringify(text)}).click()`,
    );

  /** Waits until the console has done what it does, and is in this state. */
  const expectAtConsole = async (state: string, problem = "") => {
    const states = JSON.stringify(["signed in", "signed out", "failed"]);
    const text = (id: string) => `document.getElementById("${id}")?.textContent`;
    await browser.until(`location.origin === ${JSON.stringify(origin)} && ${states}.includes(${text("state")})`);
    expect("the console", await browser.evaluate(`[${text("state")}, ${text("problem")}]`), [state, problem]);
  };
  const shown = async (): Promise<Shown> =>
    JSON.parse(String(await browser.evaluate(`document.querySelector("#shown").textContent`)));
  /** Presses a button of the console, and waits for what comes of it. */
  const press = async (button: string) => {
    await browser.click(`#${button}`);
    await expectAtConsole("signed in");
  };

  await browser.goTo(origin);
  await expectAtConsole("signed out");
  await browser.click("#sign-in");
  await page("Sign in");
  await inspect(browser, "sign-in");
  await fill("nobody@browser.example", "Wrong-password-1");
  await browser.until(`document.querySelector("[role=alert]") !== null`);
  expect("the focus", await browser.evaluate("document.activeElement.name"), "password");
  await inspect(browser, "sign-in-refused");

  const email = "ada@browser.example";
  await follow("Sign up");
  await page("Sign up");
  await inspect(browser, "sign-up");
  await fill(email, "short");
  await browser.until(`document.querySelector("[aria-invalid=true]")?.name === "password"`);
  await inspect(browser, "sign-up-refused");
  await fill(password);
  await page("Confirm your account");
  await inspect(browser, "confirm");
  await fill(codeMailedTo(email));
  await page("Sign in");
  await inspect(browser, "sign-in-confirmed");
  await fill(email, password);
  await expectAtConsole("signed in");
  const before = await shown();
  expect("the person of userInfo", before.person.email, email);
  expect("GET /v1/tenants/my", [before.mine.status, before.id.tenant_id], [404, undefined]);
  console.log("signed up     by keyboard, confirmed by the mailed code, signed in: no workspace yet");

  await press("create");
  const { id, access, mine } = await shown();
  expect("GET /v1/tenants/my", [mine.status, mine.body.owner_sub], [200, before.id.sub]);
  for (const claims of [id, access]) {
    expect("the claims", [claims.tenant_id, claims.tenant_role], [mine.body.tenant_id, "owner"]);
  }
  console.log("created       a workspace, refreshed: its id and the role are in ID and access token");

  await browser.goTo(origin);
  await expectAtConsole("signed out");
  await press("sign-in");
  console.log("loaded anew   signs in without a question");
  await browser.click("#sign-out");
  await expectAtConsole("signed out");
  await browser.click("#sign-in");
  await page("Sign in");
  console.log("signed out    came back to the console, and is asked again");

  await follow("Forgot your password?");
  await page("Forgot your password?");
  await inspect(browser, "forgot-password");
  await fill(email);
  await page("Choose a new password");
  await inspect(browser, "choose-password");
  await fill(codeMailedTo(email), `${password}-new`);
  await page("Sign in");
  await fill(email, `${password}-new`);
  await expectAtConsole("signed in");
  console.log("forgot        the password, chose another by the mailed code, signed in");

  await browser.click("#set-up-app");
  await page("Sign in");
  await fill(email, `${password}-new`);
  await expectAtConsole("signed in");
  await press("set-up-app");
  const secret = String(await browser.evaluate(`document.getElementById("secret").textContent`));
  await browser.click("#code");
  await browser.type(totp(secret, stack.clock.now()));
  await press("set-up-app");
  stack.clock.advance(30_000);
  await browser.click("#sign-out");
  await expectAtConsole("signed out");
  await browser.click("#sign-in");
  await page("Sign in");
  await fill(email, `${password}-new`);
  await page("Enter the code of your app");
  await inspect(browser, "authenticator-app");
  await fill(totp(secret, stack.clock.now()));
  await expectAtConsole("signed in");
  await browser.click("#sign-out");
  await expectAtConsole("signed out");
  console.log("set up        an authenticator app from the console's own script, and signed in with its code");

  await browser.click("#sign-in");
  await page("Sign in");
  await follow("Continue with Google");
  await page("Sign in with Google");
  await inspect(browser, "google");
  await fill("grace@browser.example");
  await expectAtConsole("signed in");
  const grace = await shown();
  expect("the person of Google", [grace.id.email_verified, grace.person.email], [true, "grace@browser.example"]);
  expect("GET /v1/me", [grace.me.approval_status, grace.me.memberships], ["pending", []]);
  expect("GET /v1/tenants/my", [grace.mine.status, grace.access.tenant_id], [404, undefined]);
  await browser.click("#sign-out");
  await expectAtConsole("signed out");
  console.log("continued     with Google as somebody new: pending, no workspace yet");

  const invited = "eve@browser.example";
  const owner = await consoleToken(stack, stack.demo?.owner ?? { email: "", password: "" });
  await callControlPlane(stack, owner, "POST", "/v1/users/invite", { email: invited });
  const temporary = /temporary password is (\S+)/.exec(stack.mailbox.mails(invited).at(-1)?.text ?? "")?.[1] ?? "";
  await browser.click("#sign-in");
  await page("Sign in");
  await fill(invited, temporary);
  await page("Change your password");
  await inspect(browser, "change-password");
  await fill(password);
  await expectAtConsole("signed in");
  const eve = await shown();
  expect("the invited person's claims", [eve.mine.status, eve.access.tenant_role], [200, "developer"]);
  console.log("invited       by mail, replaced the temporary password, is in the workspace");

  await browser.goTo(`${stack.at("auth")}/oauth2/authorize?client_id=nobody`);
  await page("An error was encountered with the requested page");
  await inspect(browser, "error");
}

function expect(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return;
  throw new Error(`${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}
