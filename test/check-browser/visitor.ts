// Somebody at the console in a real browser. Whatever the page reports as an error is kept, and fails the check at its end.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** A closed network refuses what a browser asks of its maker. */
const quiet = [
  ...["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];

const names = ["chromium", "chromium-browser", "google-chrome"];

/** The installed Chromium; undefined without one on the PATH. */
export async function launch(): Promise<Browser | undefined> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const executablePath = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  return executablePath === undefined ? undefined : chromium.launch({ executablePath, args: quiet });
}

export type Visitor = {
  page: Page;
  context: BrowserContext;
  /** What the browser complained of: exceptions, refusals of the content security policy, failed loads. */
  complaints: string[];
};

export type VisitOptions = Pick<BrowserContextOptions, "timezoneId" | "javaScriptEnabled"> & {
  width?: number;
  /** Whether the play itself leads to refusals by role, so that a 403 is no mistake of the page. */
  isRefused?: boolean;
};

export async function visit(
  browser: Browser,
  { width = 1280, isRefused = false, ...options }: VisitOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    locale: "en-US",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  context.on("response", (response) => {
    // What a page asks for or offers is what the API allows: a refusal for somebody's role is a mistake of the page.
    if (response.status() === 403 && !isRefused)
      complaints.push(`refused: ${response.request().method()} ${response.url()}`);
  });
  context.on("weberror", (error) => complaints.push(error.error().message));
  context.on("console", (message) => {
    // A refusal by the API is told by the page, and logged by the browser as a failed load.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  return { page, context, complaints };
}

/** Signs in at the hosted pages, from wherever the console or another client sent the browser. @param back where it is led back to */
export async function signIn(
  page: Page,
  { email, password }: { email: string; password: string },
  back = /\/\/console\.localhost/,
): Promise<void> {
  await page.waitForURL(/\/@[^/]+\/login/);
  await page.locator("[name=username]").fill(email);
  await page.locator("[name=password]").fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(back);
}
