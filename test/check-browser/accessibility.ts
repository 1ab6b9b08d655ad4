// Whether everybody can use a page: axe-core's rules, no scrolling sideways, in light and dark, on a screen and a phone.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser } from "./browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules of WCAG 2.2, levels A and AA, and axe-core's best practices. */
const run = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
  .then(({ violations, passes }) => ({
    rules: passes.length,
    violations: violations.map(({ id, help, nodes }) => id + ": " + help + ": " + nodes.map(({ html }) => html).join(" ")),
  }))`;

const widths = "(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.scrollingElement)";

const sizes = [
  [1280, 800],
  [360, 640],
  // 400 % of a window of 1280 (WCAG 2.2, 1.4.10).
  [320, 640],
] as const;

/** Pictures of what was seen; none unless a folder is named. */
const pictures = process.env.ARCHWAY_SCREENSHOTS;

/** @throws Error with every rule that the page breaks. */
export async function inspect(browser: Browser, name: string): Promise<void> {
  const problems = new Set<string>();
  for (const scheme of ["light", "dark"] as const) {
    for (const [width, height] of sizes) {
      await browser.emulate(width, height, scheme);
      await browser.evaluate(axe);
      const result = (await browser.evaluate(run)) as { rules: number; violations: string[] } | undefined;
      if (!result?.rules) throw new Error(`${name}: axe-core did not run`);
      for (const violation of result.violations) problems.add(`${scheme}, ${width} px: ${violation}`);
      const { scrollWidth, clientWidth } = (await browser.evaluate(widths)) as Record<string, number>;
      if (scrollWidth !== clientWidth) problems.add(`${width} px: scrolls sideways, by ${scrollWidth} px`);
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        writeFileSync(join(pictures, `${name}-${scheme}-${width}.png`), await browser.screenshot());
      }
    }
  }
  if (problems.size > 0) throw new Error(`${name}\n  ${[...problems].join("\n  ")}`);
}
