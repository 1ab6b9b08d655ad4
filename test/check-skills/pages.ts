// The pages for review and secret in a real Chromium, as a person meets them, judged by axe-core.
import { inspect } from "../check-browser/inspect.ts";
import { launch, visit } from "../check-browser/visitor.ts";
import { callText, type SkillsSeat } from "../support/skills/skills-server.ts";

/** @param name of a skill whose version 1 the seat's person may activate @throws Error for what is not as it should be. */
export async function visitPages(seat: SkillsSeat, name: string): Promise<string> {
  const browser = await launch();
  if (!browser) throw new Error("there is no Chromium on this machine");
  const { page } = await visit(browser);
  const seen: string[] = [];
  /** The assistant's call goes on when the client has led its person there, so the person does it first. */
  const act = async (url: string, typed: string | undefined, expected: string): Promise<"accept"> => {
    // Another page first: from one page to the next the address differs in its fragment alone, which loads nothing.
    await page.goto("about:blank");
    await page.goto(url);
    await page.getByRole("button").first().waitFor();
    if (await page.evaluate("location.hash !== ''")) throw new Error("the token stays in the address");
    const problems = await inspect(page, "skills-page", { isPictured: false });
    if (problems.length > 0) throw new Error(problems.join("\n"));
    seen.push(await page.locator("body").innerText());
    if (typed !== undefined) await page.locator("textarea").fill(typed);
    await page.getByRole("button").first().click();
    await page.getByRole("button").first().waitFor({ state: "detached" });
    const says = await page.locator("#says").innerText();
    if (!says.includes(expected)) throw new Error(`the page says ${says}`);
    return "accept";
  };
  try {
    const client = await seat.connect({
      elicited: (url) =>
        seen.length === 0 ? act(url, undefined, "is active") : act(url, "typed-in-the-browser", "is stored"),
    });
    const activated = await callText(client, "activate_skill", { name, version: 1 });
    if (activated.isError || !seen[0]?.includes(name)) throw new Error(`${activated.text}, ${seen[0]}`);
    const stored = await callText(client, "create_secret", { name: "BROWSER_TOKEN" });
    if (stored.isError || stored.text.includes("typed-in-the-browser")) throw new Error(stored.text);
    await client.close();
  } finally {
    await browser.close();
  }
  return "a version was reviewed and activated, a secret typed, and axe-core finds nothing";
}
