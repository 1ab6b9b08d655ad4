// From no account to a streamed answer in one's own terminal, by the keyboard alone where a person can.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import type { Stack } from "../../local/running-stack.ts";
import { mailedCode, type Visitor, visit } from "./visitor.ts";

const run = promisify(execFile);
/** Who runs through it, and owns the workspace of it. */
export const ada = { email: "ada@first-run.example", password: "First-run-password-1" };
/** The address that its workspace gets. */
export const slug = "first-run-grosse";
const { email, password } = ada;

export async function firstRun(stack: Stack, browser: Browser): Promise<Visitor> {
  const started = performance.now();
  const told = (what: string) =>
    console.log(`  ${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${what}`);
  const visitor = await visit(browser);
  const { page } = visitor;
  await page.goto(stack.console);
  await page.waitForURL(/\/@auth\/login/);
  await page.getByText("Sign up", { exact: true }).click();
  await page.locator("input[type=email], [name=email], [name=username]").first().fill(email);
  await page.locator("input[type=password]").first().fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Confirm your account" }).waitFor();
  told("signed up");
  await page.locator("[autofocus]").fill(await mailedCode(stack, email));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.locator("input[type=password]").first().fill(password);
  await page.keyboard.press("Enter");
  await page.getByLabel("Name").waitFor();
  told("confirmed by the mailed code, signed in, asked for a workspace's name");
  await page.getByLabel("Name").fill("First Run Größe");
  await page.getByText(`Its address will be ${slug}.`).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "First call" }).waitFor();
  told("the workspace is open");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("The key is in the command below").waitFor();
  await page.getByRole("button", { name: "Copy command" }).click();
  const command = await page.evaluate<string>("navigator.clipboard.readText()");
  told("created a key and copied the command");
  const { stdout } = await run("sh", ["-c", command], { timeout: 60_000 });
  if (!stdout.includes("message_stop"))
    throw new Error(`the copied command gave no whole stream: ${stdout.slice(-300)}`);
  const answered = performance.now();
  await page.getByText("It works.").waitFor();
  told(`the answer streamed, and the page says so ${((performance.now() - answered) / 1_000).toFixed(1)} s later`);
  const kept = await page.evaluate<string>(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])",
  );
  if (/ar_live_/.test(kept)) throw new Error("the key is in the browser's storage or address");
  return visitor;
}
