// From no account to a streamed answer in one's own terminal: with a mouse, and by the keyboard alone on a screen as wide as a phone's.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import type { Stack } from "../../local/running-stack.ts";
import { mailedCode, type Visitor, visit } from "./visitor.ts";

const run = promisify(execFile);

export type Runner = { email: string; password: string; workspace: string; slug: string };

/** Who runs through it first, and owns the workspace of the other plays. */
export const ada: Runner = {
  email: "ada@first-run.example",
  password: "First-run-password-1",
  workspace: "First Run Größe",
  slug: "first-run-grosse",
};

const eve: Runner = {
  email: "eve@by-keyboard.example",
  password: "By-keyboard-password-1",
  workspace: "By Keyboard",
  slug: "by-keyboard",
};

/** How a person reaches what they want to use. */
type Hands = { enter: (field: Locator, text: string) => Promise<void>; press: (button: Locator) => Promise<void> };

const mouse: Hands = { enter: (field, text) => field.fill(text), press: (button) => button.click() };

/** Longer ways than this no page has. */
const mostSteps = 80;

function keyboard(page: Page): Hands {
  const reach = async (wanted: Locator) => {
    await wanted.waitFor();
    for (let step = 0; step < mostSteps; step++) {
      if (await wanted.evaluate((element) => element.matches(":focus, a:focus *, button:focus *"))) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the keyboard does not reach ${wanted} at ${page.url()}`);
  };
  return {
    async enter(field, text) {
      await reach(field);
      await page.keyboard.type(text);
    },
    async press(button) {
      await reach(button);
      await page.keyboard.press("Enter");
    },
  };
}

export async function firstRun(stack: Stack, browser: Browser): Promise<Visitor> {
  const visitor = await visit(browser);
  await runThrough(stack, visitor, ada, mouse);
  return visitor;
}

/** @returns what the browser complained of */
export async function firstRunByKeyboard(stack: Stack, browser: Browser): Promise<string[]> {
  const visitor = await visit(browser, { width: 390 });
  await runThrough(stack, visitor, eve, keyboard(visitor.page));
  await visitor.context.close();
  return visitor.complaints;
}

async function runThrough(stack: Stack, { page }: Visitor, runner: Runner, { enter, press }: Hands): Promise<void> {
  const { email, password, workspace, slug } = runner;
  const started = performance.now();
  const told = (what: string) =>
    console.log(`  ${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${what}`);
  await page.goto(stack.console);
  await page.waitForURL(/\/@auth\/login/);
  await press(page.locator("a, button").getByText("Sign up", { exact: true }).first());
  await enter(page.locator("input[type=email], [name=email], [name=username]").first(), email);
  await enter(page.locator("input[type=password]").first(), password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Confirm your account" }).waitFor();
  told("signed up");
  await enter(page.locator("[autofocus]"), await mailedCode(stack, email));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await enter(page.locator("input[type=password]").first(), password);
  await page.keyboard.press("Enter");
  await page.getByLabel("Name").waitFor();
  told("confirmed by the mailed code, signed in, asked for a workspace's name");
  await enter(page.getByLabel("Name"), workspace);
  await page.getByText(`Its address will be ${slug}.`).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "First call" }).waitFor();
  told("the workspace is open");
  await press(page.getByRole("button", { name: "Create key" }));
  await page.getByText("The key is in the command below").waitFor();
  await press(page.getByRole("button", { name: "Copy command" }));
  await page.getByText("Copied").waitFor();
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
}
