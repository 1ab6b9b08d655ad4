import { gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { consoleFiles, mediaType } from "../../../components/console/console-files.ts";

const files = consoleFiles();
const kilobytes = (names: string[]) => names.reduce((sum, name) => sum + gzipSync(files[name] ?? "").length, 0) / 1_000;

/** The script that the page names, and all that it loads before it runs. */
function firstLoad(): string[] {
  const [, app = ""] = /src="\/(assets\/app-[^"]+\.js)"/.exec(files["index.html"] ?? "") ?? [];
  const wanted = new Set([app]);
  for (const name of wanted) {
    for (const [, other] of (files[name] ?? "").matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      wanted.add(`assets/${other}`);
  }
  return [...wanted];
}

test("the console's page names the script and every style sheet by their hashes, and contains no inline script or style", () => {
  const page = files["index.html"] ?? "";
  for (const name of Object.keys(files).filter((one) => one.endsWith(".css")))
    expect(page).toContain(`href="/${name}"`);
  expect(page).not.toMatch(/<style|<script(?![^>]*src=)|style=/);
  expect(Object.keys(files).filter((name) => !/^assets\/[\w-]+-[A-Z0-9]{8}\.(js|css)$/.test(name))).toEqual([
    "index.html",
  ]);
});

// Budgets of what a browser loads: 110 KB of scripts before the first page, 15 KB for a page, 10 KB of style, all gzipped.
test("the console's first scripts, each page and the style stay within their sizes", () => {
  const first = firstLoad();
  expect(kilobytes(first)).toBeLessThan(110);
  const pages = Object.keys(files).filter((name) => name.endsWith(".js") && !first.includes(name));
  expect(pages.filter((name) => kilobytes([name]) > 15)).toEqual([]);
  expect(kilobytes(Object.keys(files).filter((name) => name.endsWith(".css")))).toBeLessThan(10);
});

test("a console file of an unknown kind is refused", () => {
  expect(() => mediaType("assets/logo.bmp")).toThrow("assets/logo.bmp: the console has no media type for it");
});
