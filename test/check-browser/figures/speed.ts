// How soon pages stand on a phone with a slow connection, how much they load, and whether they move: within budgets, printed. The
// machine's load decides the seconds, so that they alone fail nothing.
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { consoleFiles } from "../../../components/console/console-files.ts";
import type { Stage } from "../stage.ts";

/** 1.6 Mbit/s and 150 ms, a processor four times as slow. */
const slow = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const budgets = { lcp: 2_000, shift: 0.02 };
/** KB, gzipped: what loads first and one page; the style of all pages. */
const sizes = { js: 110 + 15, css: 10 };

const watch = `window.seen = { lcp: 0, shift: 0 };
new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) seen.lcp = startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) seen.shift += one.value; })
  .observe({ type: "layout-shift", buffered: true });`;

export async function speed(stage: Stage): Promise<string[]> {
  const { page, context } = await stage.owner();
  const phone = await context.newPage();
  // A second tab has no token of its own: it takes the first one's.
  const stored = await page.evaluate<string>("JSON.stringify({ ...sessionStorage })");
  await phone.addInitScript(
    `for (const [name, value] of Object.entries(${stored})) sessionStorage.setItem(name, value)`,
  );
  await phone.addInitScript(watch);
  await phone.setViewportSize({ width: 390, height: 800 });
  const session = await context.newCDPSession(phone);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", slow);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const problems: string[] = [];
  for (const path of ["/", "/usage", "/keys"]) {
    await phone.goto(`${stage.console}${path}`);
    await phone.getByRole("heading", { level: 1 }).waitFor();
    await phone.waitForSelector(".skeleton", { state: "detached" });
    const { lcp, shift } = await phone.evaluate<{ lcp: number; shift: number }>("window.seen");
    console.log(
      `  ${path.padEnd(7)} largest paint after ${(lcp / 1_000).toFixed(2)} s of ${budgets.lcp / 1_000}, moves by ${shift.toFixed(3)} of ${budgets.shift}`,
    );
    if (shift > budgets.shift) problems.push(`${path} moves by ${shift.toFixed(3)} while it loads`);
    for (const [kind, most] of Object.entries(sizes)) {
      const size = await loaded(phone, kind);
      console.log(`  ${path.padEnd(7)} loads ${size.toFixed(1)} KB of ${kind}, of ${most}`);
      if (size > most) problems.push(`${path} loads ${size.toFixed(1)} KB of ${kind}`);
    }
  }
  await phone.close();
  return problems;
}

/** The gzipped KB of the files of a kind that the page has loaded. */
async function loaded(page: Page, kind: string): Promise<number> {
  const names = await page.evaluate<string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)",
  );
  const files = consoleFiles();
  const wanted = new Set(names.filter((name) => name.endsWith(`.${kind}`)).map((name) => name.slice(1)));
  return [...wanted].reduce((sum, name) => sum + gzipSync(files[name] ?? "").length, 0) / 1_000;
}
