// One running stack for all test files of a worker that need none of their own: starting one, and each of its functions for the first
// time, takes longer than most of them.
import type { Settings } from "../../emulators/agentcore/settings.ts";
import { type SeededStack, startSeeded } from "./program/seeded-stack.ts";
import { atEnd } from "./runner/run-end.ts";
import { freeSkillsCallbacks } from "./skills/skills-server.ts";

let shared: Promise<{ stack: SeededStack; agentcore: Settings }> | undefined;

/**
 * A test file has workspaces and people of its own in the stack, waits for what it has begun, and leaves the demo workspace as it was.
 * Whoever asks for the stack forgets what earlier ones have set and called; the clock alone goes on from where they left it.
 */
export async function sharedStack(): Promise<SeededStack> {
  shared ??= start();
  const { stack, agentcore } = await shared;
  stack.faults.clear();
  stack.calls.clear();
  stack.bedrock.clear();
  stack.priceList.clear();
  stack.hosts.put({});
  stack.agentcore.configure(agentcore);
  return stack;
}

/** Whoever asks next gets a new one: for tests that need all that the demo workspace may spend, before them and after them. */
export async function stopSharedStack(): Promise<void> {
  const last = await shared;
  shared = undefined;
  await last?.stack.stop();
}

/** Its skills client comes back at ports that nobody else on this machine uses. */
async function start() {
  const stack = await startSeeded({ config: await freeSkillsCallbacks() });
  atEnd(stopSharedStack);
  return { stack, agentcore: stack.agentcore.settings };
}
