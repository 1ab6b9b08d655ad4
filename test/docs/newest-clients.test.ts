import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { page } from "../clients/newest/page.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("docs/newest-clients.md shows the last stored run: npm run clients:newest -- --keep", () => {
  const stored = JSON.parse(read("../clients/newest/last-run.json"));
  expect(read("../../docs/newest-clients.md")).toBe(page(stored));
});
