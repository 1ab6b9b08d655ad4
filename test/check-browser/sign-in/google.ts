// Google, played by the local provider's page, for people whom the platform knows already: it joins whoever was invited, once it has
// verified the address, and refuses in words otherwise.
import type { Page } from "playwright-core";
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";
import { expectPage, fillIn } from "./hosted.ts";

export async function googleJoins(stage: Stage): Promise<string[]> {
  const { person } = await stage.workspace("Joined by Google");
  const email = stage.address("lin");
  await stage.api(person, "POST", "/v1/users/invite", { email });
  const { page } = await stage.visit();
  await page.goto(stage.console);
  await openGoogle(page);
  const problems = await inspect(page, "google");
  await page.locator("[name=email_verified]").uncheck();
  await page.locator("[name=email]").focus();
  await fillIn(page, email);
  await page.getByRole("heading", { name: "The sign-in did not work" }).waitFor();
  // What a trigger refuses is written for the person; Cognito's words before it are not.
  await page
    .getByRole("alert")
    .getByText(/^Google has not confirmed that this e-mail address is yours, and it has an account here/)
    .waitFor();
  problems.push(...(await inspect(page, "sign-in-did-not-work")));

  await page.getByRole("button", { name: "Sign in again" }).click();
  await openGoogle(page);
  const first = page.url();
  await fillIn(page, email);
  // The console tries again by itself. Google would not ask again, and the page that plays it does.
  await page.waitForURL((url) => url.pathname.endsWith("/simulated-provider") && url.href !== first);
  await expectPage(page, "Sign in with Google");
  await fillIn(page, email);
  await page.getByRole("link", { name: "Joined by Google" }).waitFor();
  const found = await stage.api(person, "GET", "/v1/users");
  const states = found.data.map((one: { email: string; status: string }) => `${one.email} ${one.status}`);
  if (!states.includes(`${email} active`)) throw new Error(`the workspace has ${states}`);
  return problems;
}

async function openGoogle(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Continue with Google" }).click();
  await expectPage(page, "Sign in with Google");
}
