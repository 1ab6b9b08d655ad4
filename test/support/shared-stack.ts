// One running stack for all suites of a test file: starting one takes longer than most suites.
import type { Stack } from "../../local/stack.ts";
import { startSeeded } from "./program/seeded-stack.ts";

let shared: Promise<Stack> | undefined;

/** Each suite makes callers of its own in the stack, and leaves its faults and its model host as they were. */
export function sharedStack(): Promise<Stack> {
  shared ??= startSeeded();
  return shared;
}

/** Another test file of the same worker gets a stack of its own. */
export async function stopSharedStack(): Promise<void> {
  const stack = await shared;
  shared = undefined;
  await stack?.stop();
}
