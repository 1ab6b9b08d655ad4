// Names that strain a page or another workspace: markup, emoji, right-to-left text, and a name that two owners want at once.
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";

export async function strainedNames(stage: Stage): Promise<string[]> {
  const { page } = await stage.owner();
  await page.goto(`${stage.console}/keys`);
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill('<img src=x onerror="document.title=1">');
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await dialog.getByRole("alert").filter({ hasText: "must not have < or >" }).waitFor();
  const names = ["🦄 &amp; مرحبا {{name}}", "🦄".repeat(64), "مساعد الدعم الفني للعملاء"];
  for (const [at, name] of names.entries()) {
    if (at > 0) await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("rowheader", { name }).waitFor();
  }
  const problems = await inspect(page, "strained-keys");
  await page.goto(`${stage.console}/settings`);
  await page.getByLabel("Name").fill("Größe 🦄 {{constructor}} مرحبا");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("banner").getByText("Größe 🦄 {{constructor}} مرحبا").waitFor();
  problems.push(...(await inspect(page, "strained-settings")));
  return problems;
}

/** Both are told that the address is free; the one who comes second is told at the field, and keeps what was typed. */
export async function oneName(stage: Stage): Promise<void> {
  const both = await Promise.all([stage.workspace(), stage.workspace()].map(async (made) => (await made).person));
  const pages = await Promise.all(both.map(async (person) => (await stage.signedIn(person)).page));
  for (const page of pages) {
    await page.goto(`${stage.console}/workspaces`);
    await page.getByRole("button", { name: "New workspace" }).click();
    await page.getByLabel("Name").fill("Wanted by two");
    await page.getByText("Its address will be wanted-by-two.").waitFor();
  }
  await Promise.all(pages.map((page) => page.getByRole("button", { name: "Create", exact: true }).click()));
  const outcomes = await Promise.all(
    pages.map(async (page) => {
      const [won, lost] = [
        page.getByRole("heading", { name: "First call" }),
        page.getByRole("alert").filter({ hasText: "taken" }),
      ];
      await won.or(lost).first().waitFor();
      return (await won.isVisible()) ? "won" : await lost.first().innerText();
    }),
  );
  const refusals = outcomes.filter((outcome) => outcome !== "won");
  if (refusals.length !== 1) throw new Error(`both read ${outcomes.join(" and ")}`);
  console.log(`  the second owner reads: ${refusals[0]?.replaceAll("\n", " ")}`);
  const loser = pages[outcomes.findIndex((outcome) => outcome !== "won")];
  if ((await loser?.getByLabel("Name").inputValue()) !== "Wanted by two") throw new Error("what was typed is lost");
  await loser?.getByLabel("Name").fill("Wanted by two, too");
  await loser?.getByText("Its address will be wanted-by-two-too.").waitFor();
  await loser?.getByRole("button", { name: "Create", exact: true }).click();
  await loser?.getByRole("heading", { name: "First call" }).waitFor();
}
