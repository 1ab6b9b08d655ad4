// Instances of the proxy, as many as a test needs at once.
import { expect } from "@jest/globals";
import type { Stack } from "../../local/stack.ts";
import { settled } from "./accounting/accounting.ts";
import { openAccount } from "./people/accounts.ts";
import { ask } from "./proxy-client.ts";

/**
 * Starts this many: each has a call of an account of its own, which the model host holds until all have one. Leaves the
 * model host as new.
 */
export async function startInstances(stack: Stack, count: number): Promise<void> {
  const { key } = await openAccount(stack, { max_in_flight: count });
  stack.bedrock.fail({ error: "stall", after: 2, times: count });
  const held = await Promise.all(Array.from({ length: count }, () => ask(stack, { max_tokens: 10 }, { key })));
  stack.bedrock.resume();
  for (const response of held) await response.text();
  await settled(stack);
  expect(stack.functions.byName("proxy-local").instances.length).toBeGreaterThanOrEqual(count);
  stack.bedrock.clear();
}
