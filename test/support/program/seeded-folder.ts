// The folder of a test run for the data that its stacks begin with: the global set-up makes it, and the teardown removes it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const variable = "ARCHWAY_SEEDED_FOLDER";

/** The workers inherit its path in their environment. */
export function makeSeededFolder(): void {
  process.env[variable] = mkdtempSync(join(tmpdir(), "archway-seeded-"));
}

/** @throws Error outside of a test run. */
export function seededFolder(): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error("the test run's global set-up has not run");
  return folder;
}

export default function removeSeededFolder(): void {
  rmSync(seededFolder(), { recursive: true, force: true });
}
