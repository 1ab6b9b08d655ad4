// A test run keeps its temporary files in one folder: the global set-up makes it, and the teardown removes it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAll } from "./run-end.ts";

const variable = "ARCHWAY_TEST_RUN_FOLDER";

/** Makes the folder, in which the workers' `tmpdir()` lies too: they inherit the environment. */
export function makeRunFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), "archway-tests-"));
  // The sandbox's account, where root runs the tests, has folders of its own in it.
  chmodSync(folder, 0o711);
  process.env[variable] = folder;
  process.env.TMPDIR = folder;
  mkdirSync(seededFolder());
}

/** The folder for the data that the run's stacks begin with.
 * @throws Error outside of a test run. */
export function seededFolder(): string {
  return join(runFolder(), "seeded");
}

/** For programs that tests start: what the first has compiled, the others read. */
export const compiledOnce = { NODE_COMPILE_CACHE: join(tmpdir(), "compiled") };

function runFolder(): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error("the test run's global set-up has not run");
  return folder;
}

export default async function removeRunFolder(): Promise<void> {
  await closeAll();
  rmSync(runFolder(), { recursive: true, force: true });
}
