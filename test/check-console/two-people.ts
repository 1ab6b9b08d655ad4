// An owner invites a developer with a grant; the developer joins, calls, is shown to the owner, and is removed.
import type { Browser } from "playwright-core";
import type { Stack } from "../../local/running-stack.ts";
import { type Visitor, visit } from "./visitor.ts";

/** The developer's address. */
export const email = "ben@first-run.example";
const password = "Developer-password-1";

export async function twoPeople(stack: Stack, browser: Browser, { page: owner }: Visitor): Promise<Visitor> {
  await owner.getByRole("link", { name: "People", exact: true }).click();
  await owner.getByRole("button", { name: "Invite" }).click();
  await owner.getByLabel("E-mail addresses, one a line").fill(email);
  await owner.getByLabel("Budget for a month, USD").fill("5");
  await owner.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
  await owner.getByRole("link", { name: email }).waitFor();
  const mails = await (await fetch(`${stack.edge}/_local/mail?to=${encodeURIComponent(email)}`)).json();
  const text = (mails as { text: string }[]).map((mail) => mail.text).join("\n");
  const [, temporary = ""] = /password[^:]*:\s*(\S+)/i.exec(text) ?? [];
  const developer = await visit(browser);
  const { page } = developer;
  await page.goto(stack.console);
  await page.waitForURL(/\/@auth\/login/);
  await page.locator("input[type=email], [name=email], [name=username]").first().fill(email);
  await page.locator("input[type=password]").first().fill(temporary);
  await page.keyboard.press("Enter");
  await page.locator("input[type=password]").first().waitFor();
  await page.locator("input[type=password]").first().fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/\/console\.localhost/);
  const join = page.getByRole("button", { name: /^Join / });
  const overview = page.getByRole("heading", { name: "First Run Größe" });
  await join.or(overview).first().waitFor();
  if (await join.isVisible()) await join.click();
  await page.getByRole("link", { name: "Overview" }).waitFor();
  console.log("  invited with a grant, joined by the mailed password");
  for (const name of ["People", "Billing", "Audit"]) {
    if (await page.getByRole("link", { name, exact: true }).isVisible())
      throw new Error(`a developer is offered ${name}`);
  }
  await page.goto(`${stack.console}/people`);
  await page.getByText("Only the workspace's owner sees this page.").waitFor();
  console.log("  a developer is offered the developer's pages alone, and told who has the others");
  return developer;
}
