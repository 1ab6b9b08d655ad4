import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "@jest/globals";
import { note, refuseNoted } from "../../components/config-error.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../../local/program/program.ts";
import { largeCatalog } from "../support/program/large-catalog.ts";

const folder = "coverage/config-error";
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("problems that components report are refused together, once", () => {
  expect(refuseNoted).not.toThrow();
  note(["one"]);
  note([]);
  note(["two", "three"]);
  expect(refuseNoted).toThrow("The stack's configuration is wrong:\n  one\n  two\n  three");
  expect(refuseNoted).not.toThrow();
});

test("one start reports all values that AWS would refuse", async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/300.json`, JSON.stringify(largeCatalog(300)));
  const aliases = Array.from({ length: 200 }, (_, place) => [`claude-of-the-stack-${place}`, "claude-opus-5-5"]);
  const config = await readStackConfig(localStackFile, {
    "archway:catalog": `${folder}/300.json`,
    "archway:aliases": JSON.stringify(Object.fromEntries(aliases)),
  });
  const error = await evaluateProgram(config).catch((error: Error) => error.message);
  expect(error).toMatch(/^The stack's configuration is wrong:\n/);
  expect(error).toMatch(/function control: its environment has \d+ bytes/);
  expect(error).toMatch(/role proxy-model-host-111111111111: its rights fill \d+ policies/);
  expect(error).toMatch(/function proxy: its environment has \d+ bytes/);
});
