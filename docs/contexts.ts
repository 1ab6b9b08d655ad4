// `npm run docs:contexts`: draws the contexts of domain/ into docs/architecture.md. An arrow means that the first imports the second.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const domain = fileURLToPath(new URL("../domain", import.meta.url));
export const architectureFile = new URL("architecture.md", import.meta.url);
const begin = "<!-- npm run docs:contexts -->";
const end = "<!-- end of contexts -->";

type Contexts = Map<string, Set<string>>;

/** Each context with the contexts that its files import. */
export function contexts(): Contexts {
  const files = readdirSync(domain, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const found = new Map<string, Set<string>>();
  for (const file of files) {
    const context = contextOf(file);
    const imported = found.get(context) ?? new Set();
    found.set(context, imported);
    for (const [, path = ""] of readFileSync(join(domain, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      const target = contextOf(relative(domain, join(domain, dirname(file), path)));
      if (target !== context) imported.add(target);
    }
  }
  return found;
}

/** The page with the graph of today. An arrow that follows from two others is left out. */
export function drawn(page: string, all: Contexts = contexts()): string {
  const arrows = [...all]
    .flatMap(([from, targets]) =>
      [...targets]
        .filter((to) => ![...targets].some((by) => by !== to && reaches(all, by, to)))
        .map((to) => [from, to]),
    )
    .map(([from, to]) => `    ${from} --> ${to}`);
  const graph = ["```mermaid", "graph TD", ...arrows.toSorted(), "```"].join("\n");
  const [before, rest = ""] = page.split(begin);
  const [, after = ""] = rest.split(end);
  return `${before}${begin}\n\n${graph}\n\n${end}${after}`;
}

function contextOf(file: string): string {
  return file.includes("/") ? dirname(file) : file.replace(/\.ts$/, "");
}

/** Whether one context imports another, itself or through others. @param seen the contexts that were looked at: contexts in a circle (test/architecture.test.ts) end the search */
function reaches(all: Contexts, from: string, to: string, seen = new Set<string>()): boolean {
  seen.add(from);
  const targets = [...(all.get(from) ?? [])];
  return targets.includes(to) || targets.some((next) => !seen.has(next) && reaches(all, next, to, seen));
}

if (import.meta.main) writeFileSync(architectureFile, drawn(readFileSync(architectureFile, "utf8")));
