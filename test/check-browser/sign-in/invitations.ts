// A newcomer whom a company and a stranger with a name like the company's have invited: is asked, joins the one, declines the other, and is
// out again with one click.
import { inspect } from "../inspect.ts";
import { grantOf, type Stage } from "../stage.ts";
import { expectPage, fillIn } from "./hosted.ts";

export async function invitedTwice(stage: Stage): Promise<string[]> {
  const company = await stage.workspace("Good");
  const stranger = await stage.workspace("Ｇood 0");
  const email = stage.address("pat");
  for (const { person } of [stranger, company]) {
    const { user_id } = await stage.api(person, "POST", "/v1/users/invite", { email });
    await stage.api(person, "PUT", `/v1/grants/${user_id}`, grantOf(5));
  }
  const first = stage.stack.mailbox.mails(email)[0]?.text ?? "";
  const [, temporary = ""] = /temporary password is:\s*(\S+)/.exec(first) ?? [];
  const { page } = await stage.visit();
  await page.goto(stage.console);
  await page.waitForURL(/\/@auth\/login/);
  await page.locator("[name=username]").fill(email);
  await page.locator("[name=password]").fill(temporary);
  await page.keyboard.press("Enter");
  await expectPage(page, "Change your password");
  await fillIn(page, "Developer-password-1");

  await page.getByRole("heading", { name: "You are invited" }).waitFor();
  for (const { slug, person } of [company, stranger]) {
    const row = page.getByRole("row").filter({ hasText: `(${slug})` });
    await row.getByText(person.email).waitFor();
  }
  const problems = await inspect(page, "invited", { isPictured: true });
  await page.getByRole("button", { name: new RegExp(`^Join .*\\(${company.slug}\\)$`) }).click();
  await page.getByRole("status").getByText(`(${company.slug}), invited by ${company.person.email}`).waitFor();
  await page.getByRole("heading", { level: 1 }).waitFor();
  problems.push(...(await inspect(page, "joined-lately")));

  await page.goto(`${stage.console}/workspaces`);
  await page.getByRole("button", { name: new RegExp(`^Decline .*\\(${stranger.slug}\\)$`) }).click();
  await page.getByRole("heading", { name: "You are invited" }).waitFor({ state: "detached" });
  await page.getByRole("cell", { name: company.slug, exact: true }).waitFor();
  problems.push(...(await inspect(page, "workspaces-joined")));

  await page.goto(`${stage.console}/start`);
  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await page.getByRole("heading", { name: "You no longer belong to the workspace" }).waitFor();
  return problems;
}
