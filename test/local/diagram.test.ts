import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { diagramFile, drawn } from "../../local/diagram.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../../local/program/program.ts";

test("docs/deployment.md shows what the program declares: npm run diagram", async () => {
  const { resources } = await evaluateProgram(await readStackConfig(localStackFile));
  expect(readFileSync(diagramFile, "utf8")).toBe(drawn(resources));
});
