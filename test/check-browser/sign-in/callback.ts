// The address to which the sign-in host leads back, forged and repeated, and addresses to which the console must not lead.
import type { Stage } from "../stage.ts";
import { signIn } from "../visitor.ts";
import { expectPage } from "./hosted.ts";

/** Neither signs anybody in, and nothing of it stays in the address. */
export async function forgedCallback(stage: Stage): Promise<void> {
  const stranger = await stage.visit();
  await stranger.page.goto(`${stage.console}/callback?code=forged&state=forged`);
  await expectPage(stranger.page, "Sign in");

  // Somebody else's code for a sign-in that this tab did begin: state is compared before the code is used.
  const victim = await stage.visit();
  await victim.page.goto(stage.console);
  await expectPage(victim.page, "Sign in");
  await victim.page.goto(`${stage.console}/callback?code=somebody-elses&state=forged`);
  await victim.page.getByRole("heading", { name: "The sign-in did not work" }).waitFor();
  if (/code|state/.test(victim.page.url())) throw new Error("a code stays in the address");
  await victim.page.getByRole("button", { name: "Sign in again" }).click();
  await expectPage(victim.page, "Sign in");

  // A forged code with the state that is waited for: the sign-in host refuses it.
  const state = new URL(victim.page.url()).searchParams.get("state") ?? "";
  await victim.page.goto(`${stage.console}/callback?code=forged&state=${encodeURIComponent(state)}`);
  await victim.page.getByRole("heading", { name: "The sign-in did not work" }).waitFor();
}

/** The address with a code that was good, opened again by Back, by the address bar and in another tab. */
export async function callbackTwice(stage: Stage): Promise<void> {
  const { person } = await stage.workspace();
  const { page, context } = await stage.visit();
  let callback = "";
  page.on("request", (request) => {
    if (request.isNavigationRequest() && new URL(request.url()).pathname === "/callback") callback = request.url();
  });
  await page.goto(`${stage.console}/keys`);
  await signIn(page, person);
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  if (!/code=/.test(callback)) throw new Error("there was no callback");
  if (/code|state/.test(page.url())) throw new Error("a code stays in the address");
  await page.goto(callback);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  const other = await context.newPage();
  await other.goto(callback);
  await other.getByRole("navigation", { name: "Pages" }).waitFor();
  await page.goBack();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  for (const tab of [page, other]) if (/code=/.test(tab.url())) throw new Error("a code stays in the address");
}

/** Where an attacker's link leads after the sign-in: a path of the console, whatever it says. */
export async function forgedReturn(stage: Stage): Promise<void> {
  const { person } = await stage.workspace();
  const { page } = await stage.visit();
  const { host } = new URL(stage.console);
  for (const path of ["//localhost/keys", "/%5Clocalhost", "/keys?return_to=https://elsewhere.example"]) {
    await page.goto(`${stage.console}${path}`);
    await signIn(page, person);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    if (new URL(page.url()).host !== host) throw new Error(`${path} led to ${page.url()}`);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await expectPage(page, "Sign in");
  }
}
