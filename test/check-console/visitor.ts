// Somebody at the console in a real browser. Whatever the page reports as an error is kept, and fails the check at its end.
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { Stack } from "../../local/running-stack.ts";

/** A closed network refuses what a browser asks of its maker. */
const quiet = [
  ...["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The installed Chromium by its path; undefined without one. */
export function launch(paths: readonly string[]): Promise<Browser> | undefined {
  const [executablePath] = paths;
  return executablePath === undefined ? undefined : chromium.launch({ executablePath, args: quiet });
}

export { names as browserNames };

export type Visitor = {
  page: Page;
  context: BrowserContext;
  /** What the browser complained of: exceptions, refusals of the content security policy, failed loads. */
  complaints: string[];
};

export async function visit(browser: Browser, options: { width?: number; timezoneId?: string } = {}): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: 800 },
    ...(options.timezoneId && { timezoneId: options.timezoneId }),
    locale: "en-US",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  // What a page asks for or offers is what the API allows: a refusal for somebody's role is a mistake of the page.
  page.on("response", (response) => {
    if (response.status() === 403) complaints.push(`refused: ${response.request().method()} ${response.url()}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A refusal by the API is told by the page, and logged by the browser as a failed load.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  return { page, context, complaints };
}

/** Signs in at the hosted pages, from wherever the console sent the browser. */
export async function signIn(
  { page }: Visitor,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.waitForURL(/\/@auth\/login/);
  await page.locator("[name=username], [name=email], input[type=email]").first().fill(email);
  await page.locator("input[type=password]").first().fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/\/console\.localhost/);
}

/** The code in the last mail to an address. */
export async function mailedCode(stack: Stack, email: string): Promise<string> {
  const answer = await fetch(`${stack.edge}/_local/mail?to=${encodeURIComponent(email)}`);
  const text = ((await answer.json()) as { text: string }[]).at(-1)?.text ?? "";
  const [code] = /\b\d{6}\b/.exec(text) ?? [];
  if (!code) throw new Error(`no code was mailed to ${email}: ${text}`);
  return code;
}
