// The first run's command of each client runs in a shell as it was copied. Assistants are those that `npm run clients` has installed.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { modules, nativeBinary, openCodeBinary, quiet } from "../../clients/commands.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { expect, type Stage } from "../stage.ts";
import { addPaymentMethod } from "./payment.ts";

const run = promisify(execFile);

const assistants = {
  "Claude Code": { program: "claude", file: () => nativeBinary("claude-code") },
  opencode: { program: "opencode", file: openCodeBinary },
  Continue: { program: "cn", file: () => join(modules, ".bin", "cn") },
};

/** Nothing is fetched or told beside the call. */
const calm = {
  ...quiet,
  ...{ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", CONTINUE_TELEMETRY_ENABLED: "0" },
};

export async function copiedCommands(stage: Stage): Promise<void> {
  const { page, person } = await stage.owner();
  await page.goto(`${stage.console}/start`);
  await page.getByLabel("Claude Code", { exact: true }).check();
  await page.getByText("An assistant's first question is longer than the free credit.").waitFor();
  await addPaymentMethod(stage, page);
  await stage.stack.stripe.idle();
  await page.getByText("Ready", { exact: true }).waitFor();
  await page.getByRole("link", { name: "First call", exact: true }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("The key is in the command below").waitFor();
  const home = mkdtempSync(join(tmpdir(), "archway-copied-"));
  const programs = join(home, "bin");
  mkdirSync(programs);
  const env = { ...calm, HOME: home, PATH: `${programs}:${process.env.PATH}` };
  for (const client of ["curl", ...Object.keys(assistants)]) {
    if (client in assistants && !isInstalled(client as keyof typeof assistants, programs)) {
      console.log(`  ${client} is not installed: npm ci --prefix test/clients`);
      continue;
    }
    const before = await calls(stage, person);
    await page.getByLabel(client, { exact: true }).check();
    await page.getByRole("button", { name: "Copy command" }).click();
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    const ran = run("sh", ["-c", command], { cwd: home, env, timeout: 120_000 });
    ran.child.stdin?.end();
    const { stdout } = await ran.catch((error) => {
      throw new Error(`${client} failed: ${error.stdout}${error.stderr}`);
    });
    expect(`${client} prints an answer`, stdout.trim().length > 0, true);
    await settled(stage.stack);
    expect(`${client} has called`, (await calls(stage, person)) > before, true);
    console.log(`  ${client} answers by the copied command: ${stdout.trim().split("\n").at(-1)?.slice(0, 60)}`);
  }
}

async function calls(stage: Stage, person: { email: string; password: string }): Promise<number> {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  const now = stage.stack.clock.now();
  const { data } = await stage.api(person, "GET", `/v1/calls?from=${day(now)}&to=${day(now + 86_400_000)}&limit=100`);
  return data.length;
}

/** Links the assistant's program where the shell looks for it; false if it is not there. */
function isInstalled(client: keyof typeof assistants, programs: string): boolean {
  const { program, file } = assistants[client];
  if (!existsSync(modules)) return false;
  symlinkSync(file(), join(programs, program));
  return true;
}
