// Runs before all tests: the local stack's program is evaluated once, and every stack that a test starts recalls it.
import { evaluateProgram, localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { makeSeededFolder } from "./seeded-folder.ts";

export default async function warmProgram(): Promise<void> {
  makeSeededFolder();
  await evaluateProgram(await readStackConfig(localStackFile));
}
