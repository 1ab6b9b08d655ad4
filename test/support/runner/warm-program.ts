// Runs before all tests: the local stack's program is evaluated once, and every stack that a test starts recalls it.
import { evaluateProgram, localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { makeRunFolder } from "./run-folder.ts";

export default async function warmProgram(): Promise<void> {
  makeRunFolder();
  await evaluateProgram(await readStackConfig(localStackFile));
}
