// `npm run docs:local-host`: writes the table of docs/local-host.md, from the rules of the local model host.
import { readFileSync, writeFileSync } from "node:fs";
import type { Rule } from "../emulators/bedrock/rules/rule.ts";
import { hostRules } from "../emulators/bedrock/rules/rules.ts";

export const localHostFile = new URL("local-host.md", import.meta.url);
const begin = "<!-- npm run docs:local-host -->";
const end = "<!-- end of rules -->";

/** The page with the table of these rules. */
export function drawn(page: string, rules: readonly Rule[] = hostRules): string {
  const table = [["Refused", "Models", "Words", "Source", "Day"], Array(5).fill("---"), ...rules.map(row)];
  const [before, rest = ""] = page.split(begin);
  const [, after = ""] = rest.split(end);
  return `${before}${begin}\n\n${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n\n${end}${after}`;
}

function row({ refused, models, unless, words, wordsAreOurs, source, day }: Rule): string[] {
  const flags = unless ? ` (${unless.map((flag) => `\`${flag}\``).join(" or ")})` : "";
  return [refused + flags, models.title, `\`\`${words} \`\`${wordsAreOurs ? " (our words)" : ""}`, source, day];
}

if (import.meta.main) writeFileSync(localHostFile, drawn(readFileSync(localHostFile, "utf8")));
