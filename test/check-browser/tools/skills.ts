// A developer uploads a skill's folder; the owner reads it file by file, activates it, sees what a next version changes, and goes back.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";

const head = "---\nname: weekly-report\ndescription: Writes the weekly report\n---\n";

/** The folder of a skill with this text. */
function folder(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "archway-skill-")), "weekly-report");
  mkdirSync(join(path, "references"), { recursive: true });
  writeFileSync(join(path, "SKILL.md"), `${head}\n${text}\n`);
  writeFileSync(join(path, "references", "style.md"), "Short sentences.\n");
  return path;
}

async function upload(page: Page, stage: Stage, text: string, change: string): Promise<void> {
  await page.goto(`${stage.console}/skills`);
  await page.getByRole("button", { name: "Upload a skill" }).click();
  await page.getByLabel("Its folder, with SKILL.md").setInputFiles(folder(text));
  await page.getByLabel("What changed, for the reviewer").fill(change);
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("heading", { name: "weekly-report", level: 1 }).waitFor();
}

async function confirm(page: Page, offer: string, action: string): Promise<void> {
  await page.getByRole("button", { name: offer }).click();
  await page.getByRole("dialog").getByRole("button", { name: action, exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** @returns problems of the pages that it leads to */
export async function skills(stage: Stage): Promise<string[]> {
  const own = await stage.owner();
  const { page: owner } = own;
  const { page: developer } = await stage.developer(own);
  await upload(developer, stage, "Write a table.", "The first one");
  if (await developer.getByRole("button", { name: /^Activate/ }).isVisible())
    throw new Error("a developer is offered to activate a skill");
  await owner.goto(`${stage.console}/skills`);
  await owner.getByRole("link", { name: "weekly-report" }).click();
  await owner.getByText("+ Write a table.").waitFor();
  await confirm(owner, "Activate version 1", "Activate");
  await owner.getByText("instructions, active, version 1").waitFor();
  console.log("  a skill uploaded, read and activated");
  await upload(developer, stage, "Write a list.", "Lists, not tables");
  const { page: colleague } = await stage.developer(own);
  await colleague.goto(`${stage.console}/skills/weekly-report`);
  await colleague.getByText("Write a table.").waitFor();
  if (await colleague.getByRole("button", { name: "Remove" }).isVisible())
    throw new Error("who did not make a skill is offered to remove it");
  await owner.goto(`${stage.console}/skills/weekly-report`);
  await owner.getByText("- Write a table.").waitFor();
  await owner.getByText("+ Write a list.").waitFor();
  const problems = await inspect(owner, "skill-review", { isPictured: true });
  await confirm(owner, "Activate version 2", "Activate");
  await owner.getByText("instructions, active, version 2").waitFor();
  await owner.getByLabel("Version", { exact: true }).selectOption("1");
  await confirm(owner, "Go back to version 1", "Go back");
  await owner.getByText("instructions, active, version 1").waitFor();
  console.log("  a next version read by its difference, activated, and gone back from");
  return problems;
}
