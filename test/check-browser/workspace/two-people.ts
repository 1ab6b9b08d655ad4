// An owner invites a developer with a grant, and the next one with a grant like the first one's; the developer joins by the mailed
// password, is offered a developer's pages, and makes a first call, which the owner's chart shows.
import { settled } from "../../support/accounting/accounting.ts";
import { mouse } from "../hands.ts";
import { firstCall } from "../sign-in/first-run.ts";
import { expectPage, fillIn } from "../sign-in/hosted.ts";
import { expect, grantOf, type Stage } from "../stage.ts";
import { signIn } from "../visitor.ts";

export async function twoPeople(stage: Stage): Promise<void> {
  const { page: owner, person } = await stage.owner();
  const [ben, cleo, dora] = [stage.address("ben"), stage.address("cleo"), stage.address("dora")];
  await owner.goto(`${stage.console}/people`);
  const dialog = owner.getByRole("dialog");
  await owner.getByRole("button", { name: "Invite" }).click();
  await dialog.getByLabel("E-mail addresses, one a line").fill(ben);
  await dialog.getByLabel("Budget for a month, USD").fill("5");
  await dialog.getByRole("button", { name: "Invite" }).click();
  await owner.getByRole("link", { name: ben }).waitFor();
  await dialog.waitFor({ state: "detached" });

  // A grant may say more than its form shows: a copy has all of it.
  const users = await stage.api(person, "GET", "/v1/users");
  const subOf = (email: string, { data }: { data: { email: string; user_id: string }[] }) =>
    data.find((one) => one.email === email)?.user_id ?? "";
  const told = {
    ...grantOf(7),
    allowed_models: ["claude-haiku-4-5"],
    budget_enforcement: "spent",
    max_in_flight: 3,
    rate_limit: { burst: 5, per_minute: 30 },
  };
  const made = await stage.api(person, "PUT", `/v1/grants/${subOf(ben, users)}`, told);
  await owner.reload();
  await owner.getByRole("button", { name: "Invite" }).click();
  await dialog.getByLabel("E-mail addresses, one a line").fill(`${cleo}\n${dora}\nnobody`);
  await dialog.getByLabel("Like").selectOption({ label: ben });
  await dialog.getByLabel("Budget for a month, USD").fill("8");
  await dialog.getByRole("button", { name: "Invite" }).click();
  // What is no address is told, and stays to be mended; the others are invited.
  await dialog.getByRole("alert").filter({ hasText: "nobody: must be an e-mail address" }).waitFor();
  await dialog.getByText(`Invited: ${cleo}, ${dora}`).waitFor();
  expect("what is left", await dialog.getByLabel("E-mail addresses, one a line").inputValue(), "nobody");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await owner.getByRole("link", { name: dora }).waitFor();
  const now = await stage.api(person, "GET", "/v1/users");
  for (const email of [cleo, dora]) {
    const { dev_sub, updated_at, updated_by, ...copy } = await stage.api(
      person,
      "GET",
      `/v1/grants/${subOf(email, now)}`,
    );
    const { dev_sub: _, updated_at: __, updated_by: ___, ...original } = made;
    const expected = JSON.stringify({ ...original, monthly_budget_usd: 8 });
    if (JSON.stringify(copy) !== expected) throw new Error(`${JSON.stringify(copy)} is no copy of ${expected}`);
  }
  console.log("  two invited at once with a copy of the first one's grant, but for the budget");

  const [, temporary = ""] = /password[^:]*:\s*(\S+)/i.exec(stage.mail(cleo)) ?? [];
  const { page } = await stage.visit();
  await page.goto(stage.console);
  await page.waitForURL(/\/@auth\/login/);
  await page.locator("[name=username]").fill(cleo);
  await page.locator("[name=password]").fill(temporary);
  await page.keyboard.press("Enter");
  await expectPage(page, "Change your password");
  await fillIn(page, "Developer-password-1");
  await page.getByRole("link", { name: "Overview" }).waitFor();
  for (const name of ["People", "Billing", "Audit"]) {
    if (await page.getByRole("link", { name, exact: true }).isVisible())
      throw new Error(`a developer is offered ${name}`);
  }
  await page.goto(`${stage.console}/start`);
  await firstCall(page, mouse);
  await settled(stage.stack);
  await owner.goto(`${stage.console}/usage?by=caller`);
  await owner.locator(".legend").getByText(cleo).waitFor();
  await owner.getByRole("rowheader", { name: cleo }).waitFor();
  console.log("  makes a first call, and the owner's chart shows whose it was");
  await page.goto(`${stage.console}/people`);
  await page.getByText("Only the workspace's owner sees this page.").waitFor();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await signIn(page, { email: cleo, password: "Developer-password-1" });
  await page.getByRole("link", { name: "Overview" }).waitFor();
  console.log("  joined by the mailed password, is offered a developer's pages, and told who has the others");
}
