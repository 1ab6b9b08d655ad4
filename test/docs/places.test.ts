// What the pages name exists: files, links between pages, sections, and commands.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";

const pagesIn = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .map((file) => `${folder}/${file}`);
const ofToday = ["README.md", "CONTRIBUTING.md", ...pagesIn("docs")];
/** A decision stays as it was written, whatever becomes of the files that it names. */
const everyPage = [...ofToday, ...pagesIn("docs/decisions")];
const scripts: Record<string, string> = JSON.parse(readFileSync("package.json", "utf8")).scripts;
const folders =
  /^(adapters|bench|components|console|docs|domain|emulators|examples|handlers|local|operations|packages|runtimes|test)\//;

/** Each match of the pattern's group in a page, without what lies in blocks of code. */
function named(page: string, pattern: RegExp): string[] {
  const text = readFileSync(page, "utf8").replace(/^```.*?^```/gms, "");
  return [...text.matchAll(pattern)].flatMap(([, found]) => found ?? []);
}

/** A section's address, as GitHub makes it of the heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

describe.each(ofToday)("%s", (page) => {
  test("each document names only existing files and folders", () => {
    const paths = named(page, /`([\w./-]+)`/g).filter((path) => folders.test(path));
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("each document names only existing npm scripts", () => {
    expect(named(page, /`npm run ([a-z][\w:-]*)/g).filter((script) => !(script in scripts))).toEqual([]);
  });
});

test.each(everyPage)("the document %s links only to existing pages and sections", (page) => {
  const links = named(page, /\]\(([^)\s]+)\)/g).filter((link) => !/^\w+:/.test(link));
  const lost = links.filter((link) => {
    const [path = "", section] = link.split("#");
    const file = path ? join(dirname(page), path) : page;
    if (!existsSync(file)) return true;
    return section !== undefined && !named(file, /^#+ (.+)$/gm).some((heading) => anchorOf(heading) === section);
  });
  expect(lost).toEqual([]);
});
