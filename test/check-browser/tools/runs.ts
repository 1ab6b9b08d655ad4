// A script of a skill runs for the owner, who finds the run, filters by outcome, saves the list, and reads what it printed.
import type { Download } from "playwright-core";
import { skillsToken } from "../../../local/demo/app-client.ts";
import { instructions, uploadOf } from "../../support/skills/skill-files.ts";
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";

const script = "echo the week in numbers; echo careful >&2; echo report > $OUTPUT_DIR/report.md";

/** @returns problems of the page and its dialog */
export async function runs(stage: Stage): Promise<string[]> {
  const { stack } = stage;
  const own = await stage.owner();
  const { page, person } = own;
  const authorization = `Bearer ${await skillsToken(stack, person)}`;
  const post = async (path: string, body: unknown) => {
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(`${stack.at("api")}/v1/skills${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json() as Promise<{ version: number; digest: string }>;
  };
  const files = { "SKILL.md": instructions("numbers", "metadata:\n  archway-run: run.sh"), "run.sh": script };
  const { version, digest } = await post("", uploadOf(files));
  const read = await fetch(`${stack.at("api")}/v1/skills/numbers/env`, { headers: { authorization } });
  const { env_digest } = (await read.json()) as { env_digest: string };
  await post("/numbers/activate", { version, digest, env_digest });
  await post("/numbers/runs", {});
  await stack.queuePoller.idle();

  const { page: colleague } = await stage.developer(own);
  await colleague.goto(`${stack.console}/skills/numbers`);
  await colleague.getByRole("heading", { name: "Files" }).waitFor();
  // Its values are nobody else's: a page that asked for them would be refused.
  if (await colleague.getByRole("heading", { name: "Environment" }).isVisible())
    throw new Error("a colleague is offered a skill's environment");

  await page.goto(`${stack.console}/skills/numbers`);
  await page.getByRole("link", { name: "Runs of its script" }).click();
  await page.getByRole("heading", { name: "Runs of numbers", level: 1 }).waitFor();
  const row = page.getByRole("row").filter({ hasText: "succeeded" });
  await row.waitFor();
  const problems = await inspect(page, "skill-runs", { isPictured: true });
  await page.getByLabel("Status").selectOption("failed");
  await page.getByText("No run fits.").waitFor();
  await page.getByLabel("Status").selectOption("succeeded");
  await row.waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: /CSV/ }).click();
  const csv = await textOf(await saved);
  if (csv.trim().split("\r\n").length !== 2 || !csv.includes("succeeded")) problems.push(`the file of runs has ${csv}`);
  await row.getByRole("button", { name: "What it printed" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("region", { name: "Output", exact: true }).getByText("the week in numbers").waitFor();
  await dialog.getByRole("region", { name: "Error output" }).getByText("careful").waitFor();
  problems.push(...(await inspect(page, "skill-run", { isPictured: true })));
  const file = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save report.md" }).click();
  if ((await textOf(await file)) !== "report\n") problems.push("the run's file is not what the script wrote");
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  console.log("  a run found, filtered, saved as CSV, its output read and its file saved");
  return problems;
}

async function textOf(download: Download): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of await download.createReadStream()) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
