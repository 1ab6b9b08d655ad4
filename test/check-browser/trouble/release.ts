// A release replaced the scripts that an open page names: it loads itself anew once, and says so where that does not help.
import type { Page } from "playwright-core";
import { expect, type Stage } from "../stage.ts";

export async function replacedScript(stage: Stage): Promise<void> {
  const { page, complaints } = await stage.owner();
  const known = await loaded(page);
  const scripts = /\.js$/;
  const loads: string[] = [];
  let isGone = true;
  await page.route(scripts, (route) =>
    isGone && !known.has(route.request().url()) ? route.fulfill({ status: 404, body: "" }) : route.continue(),
  );
  page.on("load", () => {
    loads.push(page.url());
    isGone = false;
  });
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  await page.getByRole("button", { name: "Save as CSV" }).waitFor();
  expect("reloads", loads.length, 1);

  // Where the script stays away nothing loops, and the menu still works.
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.unroute(scripts);
  const knownThen = await loaded(page);
  await page.route(scripts, (route) =>
    knownThen.has(route.request().url()) ? route.continue() : route.fulfill({ status: 404, body: "" }),
  );
  await page.getByRole("link", { name: "Billing", exact: true }).click();
  await page.getByText("A part of this page could not be loaded.").waitFor();
  // Once for another script, and not again.
  expect("reloads", loads.length, 2);
  await page.unroute(scripts);
  await page.getByRole("button", { name: "Load the page again" }).click();
  await page.getByText("Free credit").waitFor();
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !/dynamically imported module/.test(text)));
}

const loaded = async (page: Page) =>
  new Set(await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)"));
