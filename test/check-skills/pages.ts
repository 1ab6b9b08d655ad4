// The pages for review and secret in a real Chromium, as a person meets them, judged by axe-core.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { installedBrowser, openBrowser } from "../check-browser/browser.ts";
import { callText, type SkillsSeat } from "../support/skills/skills-server.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = '["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]';

/** @param name of a skill whose version 1 the seat's person may activate @throws Error for what is not as it should be. */
export async function visitPages(seat: SkillsSeat, name: string): Promise<string> {
  const command = installedBrowser();
  if (!command) throw new Error("there is no Chromium on this machine");
  const browser = await openBrowser(command);
  const seen: string[] = [];
  /** The assistant's call goes on when the client has led its person there, so the person does it first. */
  const visit = async (url: string, act: string, expected: string): Promise<"accept"> => {
    // Another page first: from one page to the next the address differs in its fragment alone, which loads nothing.
    await browser.goTo("about:blank");
    await browser.until('location.href === "about:blank"');
    await browser.goTo(url);
    await browser.until('document.querySelector("button") !== null');
    if (await browser.evaluate("location.hash !== ''")) throw new Error("the token stays in the address");
    await browser.evaluate(axe);
    const found = await browser.evaluate(
      `axe.run({ runOnly: ${tags} }).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ": " + nodes[0].html)))`,
    );
    if (found !== "[]") throw new Error(`axe-core finds ${found}`);
    seen.push(String(await browser.evaluate("document.body.innerText")));
    await browser.evaluate(act);
    await browser.until('document.querySelector("button") === null');
    const says = String(await browser.evaluate('document.getElementById("says").textContent'));
    if (!says.includes(expected)) throw new Error(`the page says ${says}`);
    return "accept";
  };
  const click = 'document.querySelector("button").click()';
  const type = 'document.querySelector("textarea").value = "typed-in-the-browser";';
  try {
    const client = await seat.connect({
      elicited: (url) =>
        seen.length === 0 ? visit(url, click, "is active") : visit(url, `${type}${click}`, "is stored"),
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
