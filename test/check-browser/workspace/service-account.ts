// An owner gives a program a key of its own: its budget bar, its limits changed, a rotation with overlap, and the usage of both keys.
import { settled } from "../../support/accounting/accounting.ts";
import { inspect } from "../inspect.ts";
import { expect, type Stage } from "../stage.ts";
import { ask } from "./budget.ts";

export async function serviceAccount(stage: Stage): Promise<string[]> {
  const { page, person, slug } = await stage.owner();
  const dialog = page.getByRole("dialog");
  await page.goto(`${stage.console}/keys`);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("Nightly build");
  await page.getByLabel("For", { exact: true }).selectOption("service_account");
  await page.getByLabel("Budget for a month, USD").fill("-1");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  // The browser itself refuses what can be no budget.
  await page.getByLabel("Budget for a month, USD").fill("1");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const first = await page.locator("code.secret").innerText();
  await page.getByRole("button", { name: "I have stored it" }).click();
  if (!first.startsWith("ar_live_")) throw new Error("the key is no ar_live_ key");
  expect("its call", (await ask(stage, slug, first)).status, 200);
  await settled(stage.stack);

  await page.reload();
  const row = page.getByRole("row").filter({ has: page.getByRole("button", { name: "Change limits" }) });
  await row.getByText(/of \$1\.00/).waitFor();
  await row.getByRole("img", { name: "Nightly build: fine" }).waitFor();
  await row.getByRole("button", { name: "Change limits" }).click();
  await dialog.getByLabel("Budget for a month, USD").fill("250");
  const all = dialog.getByLabel("All, also those to come");
  await all.uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  // No model at all is refused by the browser, and the form stays.
  await dialog.locator("input:invalid").waitFor();
  // All and one exclude each other: nobody grants all by what was left checked.
  await all.check();
  await dialog.getByLabel("Claude Sonnet 5", { exact: true }).check();
  expect("all is checked", await all.isChecked(), false);
  const problems = await inspect(page, "service-account-limits", { isPictured: true });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.getByText(/of \$250\.00/).waitFor();
  console.log("  its limits are changed, and its bar shows them");

  const keyRow = page.getByRole("row").filter({ has: page.getByRole("button", { name: "Rotate" }) });
  await keyRow.getByRole("button", { name: "Rotate" }).click();
  await dialog.getByLabel("The old key ends").selectOption("1");
  await dialog.getByRole("button", { name: "Rotate" }).click();
  const second = await page.locator("code.secret").innerText();
  await page.getByRole("button", { name: "I have stored it" }).click();
  for (const key of [first, second]) expect("a call in the overlap", (await ask(stage, slug, key)).status, 200);
  await settled(stage.stack);
  const { data } = await stage.api(person, "GET", "/v1/keys");
  expect("limits of both", data.map((key: { grant: object }) => JSON.stringify(key.grant)).length, 2);
  expect("the new key's limits", data[0].grant, data[1].grant);
  expect("the new budget", data[0].grant.monthly_budget_usd, 250);
  expect("the new models", data[0].grant.allowed_models, ["claude-sonnet-5"]);

  await page.goto(`${stage.console}/usage?by=key`);
  for (const key of [first, second])
    await page
      .getByRole("cell", { name: `Nightly build …${key.slice(-4)}` })
      .or(page.getByRole("rowheader", { name: `Nightly build …${key.slice(-4)}` }))
      .first()
      .waitFor();
  console.log("  rotated with an hour's overlap, in which both keys work and are told apart in usage");

  await page.goto(`${stage.console}/audit`);
  await page
    .getByRole("row", { name: /Rotated a key/ })
    .getByRole("button", { name: `Nightly build …${first.slice(-4)}` })
    .click();
  await page.getByText(`Only changes of Nightly build …${first.slice(-4)}.`).waitFor();
  await page.getByLabel("What", { exact: true }).selectOption({ label: "Created a key" });
  await page.getByRole("row", { name: /Rotated a key/ }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /Created a key/ }).waitFor();
  console.log("  the audit trail says it in words, with the key's name");

  stage.stack.clock.advance(3_661_000);
  expect("the old key after the overlap", (await ask(stage, slug, first)).status, 401);
  expect("the new key", (await ask(stage, slug, second)).status, 200);
  return problems;
}
