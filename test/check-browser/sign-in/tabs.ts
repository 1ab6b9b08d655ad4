// One person in several tabs: another workspace is chosen in one, and a duplicated tab shares its refresh token with the first.
import type { Stage } from "../stage.ts";

/** Each tab shows the workspace of its own token, and the one that was left learns of the other's choice. */
export async function twoTabs(stage: Stage): Promise<void> {
  const { page, context, person } = await stage.owner();
  await page.goto(`${stage.console}/workspaces`);
  await page.getByRole("heading", { name: "Workspaces", level: 1 }).waitFor();
  const other = await context.newPage();
  // A new tab has nothing stored: the sign-in host knows the browser, and asks nothing.
  await other.goto(`${stage.console}/workspaces`);
  await other.getByRole("heading", { name: "Workspaces", level: 1 }).waitFor();
  await stage.api(person, "POST", "/v1/tenants", { name: "Second of two tabs" });
  await other.reload();
  await other.getByRole("banner").getByText("Second of two tabs").waitFor();
  await page.bringToFront();
  await page.reload();
  await page.getByRole("banner").getByText("Second of two tabs").waitFor();
}

/** A duplicated tab copies the stored token, which is good once: whichever comes too late signs in without a question. */
export async function duplicatedTab(stage: Stage): Promise<void> {
  const { page, context } = await stage.owner();
  await page.goto(`${stage.console}/keys`);
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  const opened = context.waitForEvent("page");
  // A tab that a page opens gets a copy of its storage, as a duplicated one does.
  await page.evaluate("void window.open(location.href)");
  const copy = await opened;
  await copy.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  const stored = (tab: typeof page) => tab.evaluate<string>("sessionStorage.getItem('archway.refresh')");
  const before = await stored(page);
  // Beyond the minute in which the token before is still taken, and beyond the access token's end.
  stage.stack.clock.advance(16 * 60_000);
  for (const [tab, name] of [
    [copy, "Models"],
    [page, "Usage"],
    [copy, "Keys"],
  ] as const) {
    await tab.getByRole("link", { name, exact: true }).click();
    await tab.getByRole("heading", { name, level: 1 }).waitFor();
  }
  const [one, two] = [await stored(page), await stored(copy)];
  if (one === two || one === before) throw new Error("two tabs go on with one token");
}
