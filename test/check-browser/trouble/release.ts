// A release replaced the scripts that an open page names: it loads itself anew once, and says so where that does not help.
import type { Stage } from "../stage.ts";

export async function replacedScript(stage: Stage): Promise<void> {
  const { page } = await stage.owner();
  const known = new Set<string>();
  page.on("request", (request) => known.add(request.url()));
  await page.reload();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  const scripts = /\.js$/;
  let [isGone, loads] = [true, 0];
  await page.route(scripts, (route) =>
    isGone && !known.has(route.request().url()) ? route.fulfill({ status: 404, body: "" }) : route.continue(),
  );
  page.on("load", () => {
    loads += 1;
    isGone = false;
  });
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  await page.getByRole("heading", { name: "Audit", level: 1 }).waitFor();
  if (loads !== 1) throw new Error(`the page loaded itself ${loads} times`);
}
