// Whether everybody can use a page: axe-core's rules in both schemes, and no scrolling sideways at any width. It also takes the pictures.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules of WCAG 2.2, levels A and AA, and axe-core's best practices. */
const rules = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
  .then(({ violations, passes }) => passes.length === 0 ? ["axe-core did not run"]
    : violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" ")))`;

const widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]";

/** Pictures of what was seen; none unless a folder is named. */
const pictures = process.env.ARCHWAY_SCREENSHOTS;

/** @param isPictured whether the page belongs to the pictures of docs/console @returns what is wrong with it */
export async function inspect(page: Page, name: string, { isPictured = false } = {}): Promise<string[]> {
  const problems = new Set<string>();
  const before = page.viewportSize();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // 320 px are 400 % of a window of 1280 (WCAG 2.2, 1.4.10).
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      if (width !== 390) {
        await page.evaluate(axe);
        for (const violation of await page.evaluate<string[]>(rules))
          problems.add(`${name}, ${colorScheme}, ${width}: ${violation}`);
      }
      const [wide, shown] = await page.evaluate<number[]>(widths);
      if (wide !== shown) problems.add(`${name}, ${width}: scrolls sideways, by ${wide} px`);
      if (pictures && isPictured && colorScheme === "light" && width === 1280) {
        mkdirSync(pictures, { recursive: true });
        const path = join(pictures, `${name}.jpg`);
        await page.screenshot({ path, quality: 40, clip: { x: 0, y: 0, width, height: 1_000 }, fullPage: true });
      }
    }
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
  return [...problems];
}
