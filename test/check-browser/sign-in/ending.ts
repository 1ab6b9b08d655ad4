// How a sign-in ends: by signing out here or everywhere, by its token's end within a form, and by its own end after twelve hours.
import type { Stage } from "../stage.ts";
import { signIn } from "../visitor.ts";
import { expectPage } from "./hosted.ts";

const minuteMs = 60_000;

export async function signOut(stage: Stage): Promise<void> {
  const { page, person } = await stage.owner();
  const kept = () => page.evaluate<string>("sessionStorage.getItem('archway.refresh') ?? ''");
  const refreshToken = await kept();
  const { client_id } = await page.evaluate<{ client_id: string }>(
    "fetch('/config.json').then((it) => it.json()).then(({ clients }) => clients.console)",
  );
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expectPage(page, "Sign in");
  const answer = await fetch(`${stage.stack.at("auth")}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token: refreshToken }),
  });
  if (answer.ok || refreshToken === "") throw new Error("the refresh token outlives its sign-out");
  await page.goto(`${stage.console}/keys`);
  await expectPage(page, "Sign in");
  // Back shows no page of the person who left.
  await page.goBack();
  await expectPage(page, "Sign in");
  await signIn(page, person);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** Two browsers of one person: the one ends both, and neither is let in by the sign-in host's session alone. */
export async function signOutEverywhere(stage: Stage): Promise<void> {
  const here = await stage.owner();
  const there = await stage.signedIn(here.person);
  await there.page.goto(`${stage.console}/keys`);
  await there.page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();

  await here.page.goto(`${stage.console}/account`);
  await here.page.getByRole("button", { name: "Sign out everywhere" }).click();
  await here.page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expectPage(here.page, "Sign in");

  // Instances may believe a token for a minute more.
  stage.stack.clock.advance(minuteMs + 1_000);
  await there.page.getByRole("link", { name: "Usage", exact: true }).click();
  await expectPage(there.page, "Sign in");
  await signIn(there.page, here.person);
  await there.page.getByRole("heading", { name: "Usage", level: 1 }).waitFor();
}

/** What was typed stays, and the form is sent once: the console asks for a new token by itself. */
export async function tokenEndsInForm(stage: Stage): Promise<void> {
  const { page, person } = await stage.owner();
  await page.goto(`${stage.console}/keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("Typed before the token's end");
  stage.stack.clock.advance(16 * minuteMs);
  const posts: number[] = [];
  page.on("response", (response) => {
    if (response.request().method() === "POST" && /\/v1\/keys$/.test(response.url())) posts.push(response.status());
  });
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { name: "Your new key" }).waitFor();
  await page.getByRole("button", { name: "I have stored it" }).click();
  if (posts.join() !== "401,201") throw new Error(`the form was answered ${posts}`);
  const { data } = await stage.api(person, "GET", "/v1/keys");
  if (data.length !== 1) throw new Error(`${data.length} keys were made`);

  // The whole sign-in is over: the sign-in host asks, and leads back to the page.
  stage.stack.clock.advance(13 * 60 * minuteMs);
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await signIn(page, person);
  await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
}
