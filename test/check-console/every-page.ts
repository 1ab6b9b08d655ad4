// Every page for a role: it shows its heading, breaks no rule of axe-core in either scheme, and scrolls sideways at no width.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Visitor } from "./visitor.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" ")))`;

const widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]";

/** Pictures of what was seen, those of every page in the busy workspace alone; none unless a folder is named. */
const pictures = process.env.ARCHWAY_SCREENSHOTS;

/** Problems of the pages that the menu offers, and of those that it leads on to. */
export async function everyPage(origin: string, { page }: Visitor, role: string): Promise<string[]> {
  await page.goto(origin);
  await page.getByRole("navigation").waitFor();
  const offered = await page
    .getByRole("navigation")
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const problems: string[] = [];
  for (const path of [...offered, "/workspaces", "/account"]) {
    await page.goto(`${origin}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForSelector(".skeleton", { state: "detached" });
    problems.push(...(await inspect(page, `${role}${path.replaceAll("/", "-")}`)));
  }
  console.log(`  ${role}: ${offered.length + 2} pages, in two schemes, at three widths`);
  return problems;
}

export async function inspect(page: Page, name: string): Promise<string[]> {
  const problems = new Set<string>();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      if (width !== 390) {
        await page.evaluate(axe);
        for (const violation of (await page.evaluate(rules)) as string[])
          problems.add(`${name}, ${colorScheme}, ${width}: ${violation}`);
      }
      const [wide, shown] = await page.evaluate<number[]>(widths);
      if (wide !== shown) problems.add(`${name}, ${width}: scrolls sideways, by ${wide} px`);
      if (pictures && width !== 320 && !/^(owner|developer|admin)/.test(name)) {
        mkdirSync(pictures, { recursive: true });
        const path = join(pictures, `${name}-${colorScheme}-${width}.jpg`);
        await page.screenshot({ path, quality: 40, clip: { x: 0, y: 0, width, height: 1_000 }, fullPage: true });
      }
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  return [...problems];
}
