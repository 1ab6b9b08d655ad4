// The tables of docs/storage.md as data.
import { readFile } from "node:fs/promises";

const text = await readFile("docs/storage.md", "utf8");

/** The rows of the table whose first column has this title, by their cells' titles. */
export function rowsOf(title: string): Record<string, string>[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} |`));
  const cells = (line = "") =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const titles = cells(lines[start]);
  const end = lines.findIndex((line, place) => place > start && !line.startsWith("|"));
  return lines
    .slice(start + 2, end)
    .map((line) => Object.fromEntries(cells(line).map((cell, at) => [titles[at], cell])));
}

/** The functions that use the table, each with a policy of its name: the columns of the table of rights. */
export const functions = Object.keys(rowsOf("Keys")[0] ?? {}).filter((title) => title !== "Keys");

/** Row by row, e.g. `TENANT#` or `index SLUG#`, what each function may do, e.g. `get, put`. */
export function documentedRights(): Record<string, Record<string, string>> {
  return Object.fromEntries(rowsOf("Keys").map(({ Keys = "", ...functions }) => [Keys.replaceAll("`", ""), functions]));
}
