// From no account to a streamed answer in one's own terminal: with a mouse, by the keyboard alone on a screen as wide as a phone's, with
// Google, and by somebody who reloads and goes back at every step. The steps are printed with their times.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { type Hands, keyboard, mouse } from "../hands.ts";
import { expect, type Stage } from "../stage.ts";

const run = promisify(execFile);
const password = "First-run-password-1";

type Way = {
  /** The workspace, and the address that its name makes. */
  workspace: string;
  slug: string;
  handsOf?: (page: Page) => Hands;
  width?: number;
  signUp?: (stage: Stage, page: Page, hands: Hands, email: string) => Promise<void>;
  /** What the person does at each step besides. */
  pause?: (page: Page) => Promise<void>;
};

export const firstRun = (stage: Stage) => runThrough(stage, { workspace: "First Run Größe", slug: "first-run-grosse" });

export const firstRunByKeyboard = (stage: Stage) =>
  runThrough(stage, { workspace: "By Keyboard", slug: "by-keyboard", handsOf: keyboard, width: 390 });

export const firstRunWithGoogle = (stage: Stage) =>
  runThrough(stage, {
    ...{ workspace: "With Google", slug: "with-google", handsOf: keyboard, width: 390 },
    signUp: signUpWithGoogle,
  });

export const firstRunRestless = (stage: Stage) =>
  runThrough(stage, { workspace: "Restless", slug: "restless", pause: reloadAndBack });

async function runThrough(
  stage: Stage,
  { workspace, slug, handsOf = () => mouse, width, signUp = signUpWithPassword, pause = async () => {} }: Way,
): Promise<void> {
  const { page } = await stage.visit({ ...(width !== undefined && { width }) });
  const hands = handsOf(page);
  const { enter } = hands;
  const started = performance.now();
  const told = (what: string) =>
    console.log(`  ${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${what}`);

  await page.goto(stage.console);
  await page.waitForURL(/\/@auth\/login/);
  await signUp(stage, page, hands, stage.address("ada"));
  await page.getByLabel("Name").waitFor();
  told("signed up, asked for a workspace's name");
  await pause(page);
  await enter(page.getByLabel("Name"), workspace);
  await page.getByText(`Its address will be ${slug}.`).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "First call" }).waitFor();
  told("the workspace is open");
  await pause(page);
  const { command, laterMs } = await firstCall(page, hands);
  told(`a key, its command copied, the answer streamed, and the page says so ${(laterMs / 1_000).toFixed(1)} s later`);
  if (laterMs > 5_000) throw new Error("the page says it later than in five seconds");
  if (performance.now() - started > 180_000) throw new Error("it takes longer than three minutes");
  const [, key = ""] = /(ar_live_\w+)/.exec(command) ?? [];
  const kept = await page.evaluate<string>(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state])",
  );
  if (key === "" || kept.includes(key)) throw new Error("the key is in the browser's storage or address");
  await pause(page);
  if ((await page.content()).includes(key) !== (pause !== reloadAndBack))
    throw new Error("the key goes with the page that showed it, and no earlier");
}

/** Creates a key on the page of the first call, runs the copied command in a shell, and waits until the page says what the call was. */
export async function firstCall(page: Page, { press }: Hands): Promise<{ command: string; laterMs: number }> {
  await press(page.getByRole("button", { name: "Create key" }));
  await page.getByText("The key is in the command below").waitFor();
  await press(page.getByRole("button", { name: "Copy command" }));
  await page.getByText("Copied").waitFor();
  const command = await page.evaluate<string>("navigator.clipboard.readText()");
  const { stdout } = await run("sh", ["-c", command], { timeout: 60_000 });
  if (!stdout.includes("message_stop"))
    throw new Error(`the copied command gave no whole stream: ${stdout.slice(-300)}`);
  const answered = performance.now();
  await page.getByText("It works.").waitFor();
  const laterMs = performance.now() - answered;
  await page
    .getByText(/claude-haiku-\S+ read \d+ tokens and wrote \d+, for \$.* tokens of free credit are left/)
    .waitFor();
  return { command, laterMs };
}

async function signUpWithPassword(stage: Stage, page: Page, { enter, press }: Hands, email: string): Promise<void> {
  await press(page.getByRole("link", { name: "Sign up" }));
  await enter(page.locator("[name=username]"), email);
  await enter(page.locator("[name=password]"), password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Confirm your account" }).waitFor();
  await enter(page.locator("[autofocus]"), stage.mailedCode(email));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  // Nothing is asked twice (WCAG 2.2, 3.3.7): the address stands there.
  expect("the address", await page.locator("[name=username]").inputValue(), email);
  await enter(page.locator("[name=password]"), password);
  await page.keyboard.press("Enter");
}

async function signUpWithGoogle(_: Stage, page: Page, { enter, press }: Hands, email: string): Promise<void> {
  await press(page.getByRole("link", { name: "Continue with Google" }));
  await page.getByRole("heading", { name: "Sign in with Google" }).waitFor();
  await enter(page.locator("[name=email]"), email);
  await page.keyboard.press("Enter");
}

/** Shows the same page after a reload, and after Back and Forward. */
async function reloadAndBack(page: Page): Promise<void> {
  const [path, heading] = [new URL(page.url()).pathname, await page.getByRole("heading").first().innerText()];
  const isThere = async () => {
    await page.waitForURL((url) => url.pathname === path);
    await page.getByRole("heading", { name: heading }).first().waitFor();
  };
  await page.reload();
  await isThere();
  await page.goBack();
  await page.getByRole("heading").first().waitFor();
  await page.goForward();
  await isThere();
}
