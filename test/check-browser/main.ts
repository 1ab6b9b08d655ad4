// `npm run check:browser`: people use the web console in a real browser against the local stack. `-- NAME ...` plays some plays alone.
import { startLocal } from "../../local/stack.ts";
import { plays } from "./plays.ts";
import { Stage } from "./stage.ts";
import { launch } from "./visitor.ts";

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in plays));
if (unknown.length > 0) {
  const list = Object.entries(plays).map(([name, [title]]) => `  ${name.padEnd(22)}${title}`);
  console.log(`There is no play ${unknown.join(", ")}. There are:\n${list.join("\n")}`);
  process.exit(1);
}

const browser = await launch();
if (!browser) {
  console.log("Skipped: there is no Chromium on the PATH.");
  process.exit(process.env.CI ? 1 : 0);
}

const failed: string[] = [];
const stack = await startLocal({ port: 0, ephemeral: true });
try {
  for (const [name, [title, play]] of Object.entries(plays)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const started = performance.now();
    console.log(`${name}: ${title}`);
    const stage = new Stage(stack, browser, name);
    const found: string[] = [];
    try {
      const told = await play(stage);
      if (Array.isArray(told)) found.push(...told);
    } catch (error) {
      // What the pages showed says more than what was waited for.
      found.push((error as Error).message, ...(await stage.shown()));
    }
    found.push(...(await stage.end()));
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    console.log(`  ${found.length === 0 ? "as expected" : "NOT AS EXPECTED"}, ${seconds} s`);
    for (const problem of found) console.log(`  ${problem}`);
    if (found.length > 0) failed.push(name);
  }
} finally {
  await browser.close();
  await stack.stop();
}
console.log(failed.length === 0 ? "No problem." : `Not as expected: ${failed.join(" ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
