// What people do by mistake: two clicks for one, and Esc where a secret is shown.
import type { Page } from "playwright-core";
import type { Stage } from "../stage.ts";

export async function doubleClick(stage: Stage): Promise<void> {
  const { page, person } = await stage.owner();
  const made = { workspaces: "POST /v1/tenants", keys: "POST /v1/keys", invitations: "POST /v1/users/invite" };
  const asked = counted(page, Object.values(made));
  await page.goto(`${stage.console}/start`);
  await page.getByRole("button", { name: "Create key" }).dblclick();
  await page.getByText("The key is in the command below").waitFor();

  await page.goto(`${stage.console}/keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("Twice");
  await page.getByRole("button", { name: "Create", exact: true }).dblclick();
  await page.getByRole("button", { name: "I have stored it" }).click();

  await page.goto(`${stage.console}/people`);
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail addresses, one a line").fill(stage.address("twice"));
  await page.getByRole("dialog").getByRole("button", { name: "Invite" }).dblclick();
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await page.goto(`${stage.console}/workspaces`);
  await page.getByRole("button", { name: "New workspace" }).click();
  await page.getByLabel("Name").fill("Twice clicked");
  await page.getByText("Its address will be").waitFor();
  await page.getByRole("button", { name: "Create", exact: true }).dblclick();
  await page.getByRole("heading", { name: "First call" }).waitFor();

  const expected = { [made.workspaces]: 1, [made.keys]: 2, [made.invitations]: 1 };
  for (const [call, times] of Object.entries(expected))
    if (asked.get(call) !== times) throw new Error(`${call} was asked ${asked.get(call)} times and not ${times}`);
  const { memberships } = await stage.api(person, "GET", "/v1/me");
  if (memberships.length !== 2) throw new Error(`${memberships.length} workspaces`);
}

function counted(page: Page, calls: readonly string[]): Map<string, number> {
  const asked = new Map<string, number>();
  page.on("request", (request) => {
    const call = `${request.method()} ${new URL(request.url()).pathname.replace(/^\/@api/, "")}`;
    if (calls.includes(call)) asked.set(call, (asked.get(call) ?? 0) + 1);
  });
  return asked;
}

/** The dialog of a new secret asks before it closes, and nothing of the secret is left behind once it has. */
export async function escLosesNoKey(stage: Stage): Promise<void> {
  const { page } = await stage.owner();
  const written: string[] = [];
  page.on("console", (message) => written.push(message.text()));
  page.on("request", (request) => written.push(request.url(), request.postData() ?? ""));
  await page.goto(`${stage.console}/keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("Esc");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const key = await page.locator("code.secret").innerText();
  const stored = page.getByRole("button", { name: "I have stored it" });
  for (const leave of [() => page.keyboard.press("Escape"), () => page.mouse.click(5, 5)]) {
    page.once("dialog", (dialog) => dialog.dismiss());
    await leave();
    if (!(await stored.isVisible())) throw new Error("the key was lost");
  }
  await page.getByRole("button", { name: "Copy key" }).click();
  if ((await page.evaluate("navigator.clipboard.readText()")) !== key) throw new Error("what is copied is not the key");
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))");
  await page.getByRole("button", { name: /^Cop(y key|ied)$/ }).click();
  const field = page.getByLabel("copy it by hand");
  if ((await field.inputValue()) !== key || (await page.evaluate("getSelection().toString()")) !== key)
    throw new Error("where the browser refuses to copy, the key is not selected in a field");
  await stored.click();
  const kept = await page.evaluate<string>(`(async () => JSON.stringify([
    { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
    document.documentElement.outerHTML, performance.getEntries().map(({ name }) => name),
    await caches.keys(), await indexedDB.databases(),
  ]))()`);
  if ([kept, ...written].some((text) => text.includes(key.slice(-30)))) throw new Error("the key is kept somewhere");
}
