import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { refuseStrayKeys, strayKeys } from "../../components/stack-file.ts";

const folder = mkdtempSync(join(tmpdir(), "archway-stack-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a key outside config: is refused by its name, because Pulumi would ignore it", () => {
  writeFileSync(
    join(folder, "Pulumi.prod.yaml"),
    "config:\n  archway:domain: a.example\narchway:approval: manual\n# archway:x: 1\n",
  );
  expect(() => refuseStrayKeys(folder, "prod")).toThrow(
    'archway:approval: stands outside of "config:" in Pulumi.prod.yaml',
  );
  expect(refuseStrayKeys(folder, "other")).toBeUndefined();
});

test("each option in the example file is inside `config:` and above an active key, where `pulumi config set` keeps it", () => {
  const lines = readFileSync("Pulumi.prod.yaml.example", "utf8").trimEnd().split("\n");
  const uncommented = lines.map((line) => line.replace(/^(\s*)# (archway:\w+:)/, "$1$2")).join("\n");
  expect(strayKeys(uncommented)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^ {2,}[^#\s]/);
});
