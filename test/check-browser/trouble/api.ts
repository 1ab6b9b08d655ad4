// A platform that refuses, is slow, or is away: told in place, old data stays, what was typed stays, and nothing is asked for ever.
import type { Page, Route } from "playwright-core";
import type { Stage } from "../stage.ts";

/** GETs of the list of keys. */
const listed = /\/v1\/keys\?/;

export async function apiRefuses(stage: Stage): Promise<void> {
  const { page, person } = await stage.owner();
  await stage.api(person, "POST", "/v1/keys", { name: "Seen" });
  const head = { "access-control-allow-origin": stage.console, "access-control-expose-headers": "retry-after" };
  const error = { message: "Too many calls: try again in a second.", details: { error_code: "rate_limited" } };
  const answers = {
    "Too many calls": { status: 429, headers: { ...head, "retry-after": "1" }, json: { error, request_id: "r-1" } },
    "The platform answered 503.": { status: 503, headers: { ...head, "retry-after": "1" }, body: "<html>busy</html>" },
    "The platform answered 502.": {
      status: 502,
      headers: head,
      contentType: "text/html",
      body: "<h1>Bad gateway</h1>",
    },
    "The answer was not understood.": { status: 200, headers: head, contentType: "text/html", body: "<html></html>" },
  };
  for (const [words, answer] of Object.entries(answers)) {
    let asked = 0;
    await page.route(listed, (route) => {
      asked += 1;
      return route.fulfill(answer);
    });
    await page.goto(`${stage.console}/keys`);
    await page.getByRole("alert").filter({ hasText: words }).waitFor();
    if (asked > 3) throw new Error(`asked ${asked} times`);
    await page.unroute(listed);
    const again = page.getByRole("button", { name: "Try again", exact: true });
    if (await again.isVisible()) await again.click();
    else await page.reload();
    await page.getByRole("rowheader", { name: "Seen" }).waitFor();
  }

  // What was typed stays where a write is refused, and the second try makes one key.
  const create = /\/v1\/keys$/;
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("Kept while it was refused");
  await page.route(create, (route) =>
    unlessPreflight(route, () => route.fulfill(answers["The platform answered 503."])),
  );
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("dialog").getByRole("alert").filter({ hasText: "503" }).waitFor();
  await page.unroute(create);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("rowheader", { name: "Kept while it was refused" }).waitFor();

  // The answer of a creation is lost: the repeat carries the same key of idempotency, so nothing is made twice.
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("Name").fill("Answer lost");
  await page.route(create, (route) =>
    unlessPreflight(route, async () => {
      await route.fetch();
      await route.abort();
    }),
  );
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("dialog").getByRole("alert").filter({ hasText: "cannot be reached" }).waitFor();
  await page.unroute(create);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  // A secret is kept nowhere, so the repeat says that the key is there and cannot be shown again.
  const said = page
    .getByRole("dialog")
    .getByRole("alert")
    .filter({ hasText: /^The key \w+ was already created by this request/ });
  await said.waitFor();
  console.log(`  a repeat whose answer was lost: ${(await said.innerText()).replaceAll("\n", " ")}`);
  const { data } = await stage.api(person, "GET", "/v1/keys");
  const made = data.filter(({ name }: { name: string }) => name === "Answer lost").length;
  if (made !== 1) throw new Error(`${made} keys were made of one form`);
}

const unlessPreflight = (route: Route, answer: () => Promise<void>) =>
  route.request().method() === "OPTIONS" ? route.continue() : answer();

/** The place of what comes is held, and old data stays while new data loads. */
export async function apiSlow(stage: Stage): Promise<void> {
  const { page, person } = await stage.owner();
  await stage.api(person, "POST", "/v1/keys", { name: "Seen" });
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(listed, (route) => promise.then(() => route.continue()));
  await page.goto(`${stage.console}/keys`);
  await page.getByRole("status", { name: "Loading" }).first().waitFor();
  resolve();
  await page.getByRole("rowheader", { name: "Seen" }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.unroute(listed);
  await page.route(listed, (route) => held.promise.then(() => route.continue()));
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("rowheader", { name: "Seen" }).waitFor();
  held.resolve();
}

/** Away from the start, away later, and back. */
export async function apiAway(stage: Stage): Promise<void> {
  const { page, context } = await stage.owner();
  await page.goto(`${stage.console}/keys`);
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  await context.setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await context.setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "detached" });

  const api = /\/v1\//;
  await page.route(api, (route) => route.abort());
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "cannot be reached" }).first().waitFor();
  await page.unroute(api);
  await page.getByRole("button", { name: "Try again", exact: true }).first().click();
  await page.getByRole("row").nth(1).waitFor();

  await page.route(api, (route) => route.abort());
  await page.goto(stage.console);
  await page.getByRole("heading", { name: "The console cannot be shown" }).waitFor();
  await page.unroute(api);
  await page.getByRole("button", { name: "Try again", exact: true }).click();
  await isBack(page);

  // Not even its own addresses can be read.
  const config = /\/config\.json$/;
  await page.route(config, (route) => route.abort());
  await page.goto(stage.console);
  await page.getByRole("heading", { name: "The console cannot start" }).waitFor();
  await page.unroute(config);
  await page.getByRole("button", { name: "Try again" }).click();
  await isBack(page);
}

const isBack = (page: Page) => page.getByRole("navigation", { name: "Pages" }).waitFor();
