// Every page that the menu offers, for each role: it shows its heading, breaks no rule of axe-core, and asks for nothing that is refused.
import { inspect } from "../inspect.ts";
import { grantOf, type Stage } from "../stage.ts";
import type { Visitor } from "../visitor.ts";

export async function everyPage(stage: Stage): Promise<string[]> {
  const { demo } = stage.stack;
  if (!demo) throw new Error("the stack has no administrator");
  const owner = await stage.owner();
  return [
    ...(await pagesOf(stage, owner, "owner")),
    ...(await pagesOf(stage, await stage.developer(owner, grantOf(5)), "developer")),
    ...(await pagesOf(stage, await stage.signedIn(demo.platform_admin), "admin")),
  ];
}

/** Problems of the pages that the menu offers, and of those that every page leads to. */
export async function pagesOf(
  { console: origin }: Stage,
  { page }: Visitor,
  role: string,
  { isPictured = false } = {},
): Promise<string[]> {
  const offered = await page
    .getByRole("navigation", { name: "Pages" })
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const problems: string[] = [];
  for (const path of [...offered, "/workspaces", "/account"]) {
    await page.goto(`${origin}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForSelector(".skeleton", { state: "detached" });
    const name = path === "/" ? "overview" : path.slice(1).replaceAll("/", "-");
    problems.push(...(await inspect(page, `${role}-${name}`, { isPictured })));
  }
  console.log(`  ${role}: ${offered.length + 2} pages, in two schemes, at three widths`);
  return problems;
}
