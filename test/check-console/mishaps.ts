// What goes wrong on people's machines and on the way: clocks, addresses opened twice, other tabs, double clicks, a platform that refuses.
import type { Browser, Page } from "playwright-core";
import type { Stack } from "../../local/stack.ts";
import { signIn, type Visitor, visit } from "./visitor.ts";

type Person = { email: string; password: string };

/** @returns what the browsers complained of, and what was not as it should be */
export async function mishaps(stack: Stack, browser: Browser, person: Person): Promise<string[]> {
  const problems: string[] = [];
  const plays: [string, (visitor: Visitor) => Promise<void>][] = [
    ["a clock that is a day wrong", ({ page }) => usage(stack, page)],
    ["the sign-in's address opened twice, and Back", ({ page }) => addressTwice(stack, page)],
    ["a double click makes one key", ({ page }) => doubleClick(stack, page)],
    ["a platform that answers 429, then slowly", ({ page }) => refusals(stack, page)],
    ["a page whose script a release replaced", ({ page }) => replaced(stack, page)],
  ];
  for (const [title, play] of plays) {
    const visitor = await visit(browser);
    const { page, context, complaints } = visitor;
    page.setDefaultTimeout(15_000);
    try {
      if (title.startsWith("a clock")) await page.clock.install({ time: Date.now() + 86_400_000 });
      await page.goto(stack.console);
      await signIn(visitor, person);
      await page.getByRole("navigation").waitFor();
      await play(visitor);
      console.log(`  ${title}`);
    } catch (error) {
      problems.push(`${title}: ${(error as Error).message}\n${await page.locator("body").innerText()}`);
    }
    problems.push(...complaints.map((complaint) => `${title}: ${complaint}`));
    await context.close();
  }
  return problems;
}

/** By key and session, whatever days are chosen before and after. */
async function usage(stack: Stack, page: Page): Promise<void> {
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 400) refused.push(response.url());
  });
  await page.goto(`${stack.console}/usage`);
  for (const by of ["key", "session"]) {
    await page.getByLabel("From").fill("2026-01-01");
    await page.getByLabel("By", { exact: true }).selectOption(by);
    await page.getByLabel("Day", { exact: true }).fill("2026-11-01");
    await page.getByText("Nothing was used in these days.").waitFor();
    await page.getByLabel("By", { exact: true }).selectOption("model");
    await page.getByLabel("From").fill("2026-11-20");
    await page.getByLabel("To", { exact: true }).fill("2026-11-10");
    await page.waitForSelector(".skeleton", { state: "detached" });
  }
  if (refused.length > 0) throw new Error(`the API refused ${refused.join(" ")}`);
}

async function addressTwice(stack: Stack, page: Page): Promise<void> {
  await page.goto(`${stack.console}/callback?code=used&state=old`);
  await page.getByRole("navigation").waitFor();
  await page.goto(`${stack.console}/start`);
  await page.getByRole("heading", { name: "First call" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "First call" }).waitFor();
  await page.goBack();
  await page.getByRole("navigation").waitFor();
  const other = await page.context().newPage();
  await other.goto(`${stack.console}/keys`);
  await other.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  await page.goto(`${stack.console}/keys`);
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
}

async function doubleClick(stack: Stack, page: Page): Promise<void> {
  let made = 0;
  page.on("response", (response) => {
    if (response.request().method() === "POST" && /\/v1\/keys$/.test(response.url())) made++;
  });
  await page.goto(`${stack.console}/start`);
  await page.getByRole("button", { name: "Create key" }).dblclick();
  await page.getByText("The key is in the command below").waitFor();
  if (made !== 1) throw new Error(`${made} keys were asked for`);
}

async function refusals(stack: Stack, page: Page): Promise<void> {
  const cors = { "access-control-allow-origin": stack.console, "access-control-expose-headers": "retry-after" };
  const error = { message: "Too many calls: try again in a second.", details: { error_code: "rate_limited" } };
  let isFull = true;
  await page.route(/\/v1\/keys\?/, (route) =>
    isFull && route.request().method() === "GET"
      ? route.fulfill({ status: 429, headers: { ...cors, "retry-after": "1" }, json: { error } })
      : route.continue(),
  );
  await page.goto(`${stack.console}/keys`);
  await page.getByRole("alert").filter({ hasText: "Too many calls" }).waitFor();
  isFull = false;
  await page.getByRole("button", { name: "Try again", exact: true }).click();
  await page.getByRole("row").nth(1).waitFor();
  let proceed = () => {};
  const held = new Promise<void>((done) => {
    proceed = done;
  });
  await page.unroute(/\/v1\/keys\?/);
  await page.route(/\/v1\/keys\?/, (route) => held.then(() => route.continue()));
  await page.goto(`${stack.console}/keys`);
  await page.getByRole("status", { name: "Loading" }).first().waitFor();
  proceed();
  await page.getByRole("row").nth(1).waitFor();
}

/** Once the page loads itself anew; where the file stays away it says so. */
async function replaced(stack: Stack, page: Page): Promise<void> {
  let isGone = true;
  const known = new Set<string>();
  page.on("request", (request) => known.add(request.url()));
  await page.goto(stack.console);
  await page.getByRole("navigation").waitFor();
  await page.route(/\.js$/, (route) =>
    isGone && !known.has(route.request().url()) ? route.fulfill({ status: 404, body: "" }) : route.continue(),
  );
  page.once("framenavigated", () => {
    isGone = false;
  });
  page.once("load", () => {
    isGone = false;
  });
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  await page.getByRole("heading", { name: "Audit", level: 1 }).waitFor();
}
