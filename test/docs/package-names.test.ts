// Commands that pages tell: a package that nobody has published is none to install, and its name is free for anybody to take.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = globSync(
  ["*.md", "docs/**/*.md", "packages/**/*.md", "console/**/*.{ts,tsx}", "packages/**/*.ts", "domain/**/*.ts"],
  {
    cwd: root,
    exclude: (path) => path.includes("node_modules") || path.includes("dist"),
  },
);
/** Ours, which no registry has. */
const unpublished = ["@archway/skills-mcp", "@archway/token-helper"].map(
  (name) => new RegExp(`(npm (i|install|exec)|npx|pnpm dlx|bunx)\\b[^\\n]*${name}`),
);

test("no page or message says to install our packages by a name that is not published", () => {
  expect(pages.length).toBeGreaterThan(100);
  const told = pages.filter((page) => {
    const text = readFileSync(`${root}/${page}`, "utf8");
    return unpublished.some((command) => command.test(text));
  });
  expect(told).toEqual([]);
});

test("the two published packages have the names that this test knows", () => {
  const names = ["skills-mcp", "token-helper"].map(
    (folder) => JSON.parse(readFileSync(`${root}/packages/${folder}/package.json`, "utf8")).name,
  );
  expect(names).toEqual(["@archway/skills-mcp", "@archway/token-helper"]);
});
