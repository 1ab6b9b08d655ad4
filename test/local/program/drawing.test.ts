import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { draw } from "../../../local/program/drawing.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../../../local/program/program.ts";

test("docs/deployment.svg shows what the program declares; `npm run diagram` draws it anew", async () => {
  const { resources } = await evaluateProgram(await readStackConfig(localStackFile));
  expect(await readFile("docs/deployment.svg", "utf8")).toBe(draw(resources));
});
