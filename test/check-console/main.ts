// `npm run check:console`: people use the web console in a real browser against the local stack, as issue and design describe them.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { startLocal } from "../../local/stack.ts";
import { badInput } from "./bad-input.ts";
import { budget } from "./budget.ts";
import { fillWorkspace } from "./busy-workspace.ts";
import { everyPage } from "./every-page.ts";
import { ada, firstRun, firstRunByKeyboard } from "./first-run.ts";
import { mishaps } from "./mishaps.ts";
import { numbers } from "./numbers.ts";
import { payment } from "./payment.ts";
import { runs } from "./runs.ts";
import { skills } from "./skills.ts";
import { speed } from "./speed.ts";
import { tenantIdOf } from "./table.ts";
import { tools } from "./tools.ts";
import { email, twoPeople } from "./two-people.ts";
import { browserNames, launch, signIn, visit } from "./visitor.ts";

const folders = (process.env.PATH ?? "").split(delimiter);
const paths = browserNames
  .flatMap((name) => folders.map((folder) => join(folder, name)))
  .filter((path) => existsSync(path));
const browser = await launch(paths);
if (!browser) {
  console.log("Skipped: there is no Chromium on the PATH.");
  process.exit(0);
}

const stack = await startLocal({ port: 0, ephemeral: true });
const problems: string[] = [];
try {
  console.log("First run");
  const owner = await firstRun(stack, browser);
  console.log("First run by the keyboard alone, 390 px wide");
  problems.push(...(await firstRunByKeyboard(stack, browser)));
  console.log("Two people");
  const developer = await twoPeople(stack, browser, owner);
  console.log("MCP");
  problems.push(...(await tools(stack, owner, ada)));
  console.log("Skills");
  problems.push(...(await skills(stack, owner, developer)));
  console.log("Runs of a skill");
  problems.push(...(await runs(stack, owner, ada)));
  console.log("Mishaps");
  problems.push(...(await mishaps(stack, browser, ada)));
  console.log("Every page");
  problems.push(
    ...(await everyPage(stack.console, owner, "owner")),
    ...(await everyPage(stack.console, developer, "developer")),
  );
  const admin = await visit(browser);
  await admin.page.goto(stack.console);
  if (stack.demo) await signIn(admin, stack.demo.platform_admin);
  problems.push(...(await everyPage(stack.console, admin, "admin")));
  for (const { complaints } of [owner, developer, admin]) problems.push(...complaints);
  if (stack.demo) {
    await fillWorkspace(stack);
    const busy = await visit(browser);
    await busy.page.goto(stack.console);
    await signIn(busy, stack.demo.owner);
    problems.push(...(await everyPage(stack.console, busy, "busy")), ...busy.complaints);
  }
  console.log("Speed, of a phone on a slow connection");
  problems.push(...(await speed(stack, owner)));
  console.log("Bad input");
  await badInput(stack, browser, owner);
  const tenantId = await tenantIdOf(stack, ada.slug);
  console.log("A budget");
  problems.push(...(await budget(stack, owner, developer, { email, slug: ada.slug, tenantId })));
  console.log("Payment");
  problems.push(...(await payment(stack, owner)));
  console.log("Numbers");
  await numbers(stack, browser, ada, tenantId);
} catch (error) {
  // What the pages showed says more than what was waited for.
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    problems.push(`${page.url()} showed: ${await page.locator("body").innerText()}`);
  }
  problems.push((error as Error).message);
} finally {
  await browser.close();
  await stack.stop();
}
console.log(problems.length === 0 ? "No problem." : problems.join("\n"));
process.exitCode = problems.length === 0 ? 0 : 1;
