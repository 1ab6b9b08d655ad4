// The steps that an act takes outside the table, found by watching it once, and every way in which each of them may fail.
import { setTimeout as sleep } from "node:timers/promises";
import type { Call } from "../../../emulators/aws/calls.ts";
import type { Stack } from "../../../local/stack.ts";

/** The first or a later call of an operation, of a function that changes something outside the table. */
export type OutsideStep = { function: string; service: string; operation: string; nth: number };

export type OutsideFault = OutsideStep & { how: "before" | "after" | "killed before" | "killed after" };

const changes = /^(Create|Add|Put|Update|Delete|Remove|Schedule|Synchronize|Send|Invoke)/;
/** The table is no outside system, and a log's line is no step. */
const elsewhere = ["dynamodb", "logs"];

export function outsideSteps(calls: readonly Call[]): OutsideStep[] {
  const counted = new Map<string, number>();
  return calls.flatMap(({ function: name, service, operation }) => {
    if (name === undefined || elsewhere.includes(service) || !changes.test(operation)) return [];
    const nth = (counted.get(`${service} ${operation}`) ?? 0) + 1;
    counted.set(`${service} ${operation}`, nth);
    return [{ function: name, service, operation, nth }];
  });
}

/** The steps that an act took both times. What else went on at one time, of other workspaces of the stack, is no step of it. */
export function repeatedSteps(first: readonly Call[], second: readonly Call[]): OutsideStep[] {
  const named = (step: OutsideStep) => Object.values(step).join();
  const again = new Set(outsideSteps(second).map(named));
  return outsideSteps(first).filter((step) => again.has(named(step)));
}

/** Up to so many faults of these steps, spread evenly. */
export function faultsOf(steps: readonly OutsideStep[], most: number): OutsideFault[] {
  const all = steps.flatMap((step) =>
    (["before", "after", "killed before", "killed after"] as const).map((how) => ({ ...step, how })),
  );
  const stride = Math.max(1, all.length / most);
  return Array.from(
    { length: Math.min(most, all.length) },
    (_, index) => all[Math.floor((index + 0.5) * stride)],
  ).flatMap((fault) => fault ?? []);
}

/** Longer than a message that failed stays hidden, and than a lease stands. */
const restMs = 15 * 60_000;

/** Begins an act that meets the fault; ends when nothing of it goes on and the fault is over. */
export async function failing(stack: Stack, fault: OutsideFault, act: () => Promise<unknown>): Promise<void> {
  const { service, operation, nth, how } = fault;
  const isKilled = how.startsWith("killed");
  const when = how.endsWith("before") ? ("before" as const) : ("after" as const);
  // The SDK asks again by itself after an error. A function dies once: what comes back to its queue would only wait for its SDK to give up.
  const strike = isKilled ? ({ kind: "hang", times: 1 } as const) : ({ kind: "error", times: 9 } as const);
  stack.faults.put([{ service, operation, nth, when, ...strike }]);
  const hasStruck = () => stack.faults.list().some(({ struck }) => struck > 0);
  let isOver = false;
  const ended = act()
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });
  if (isKilled) {
    while (!hasStruck() && !isOver) await sleep(5);
    await stack.functions.byName(fault.function).kill();
    // What hung has no effect once its caller is known to be gone.
    while (stack.faults.list().some(({ hanging }) => hanging > 0)) await sleep(5);
  }
  await ended;
  if (!hasStruck()) throw new Error(`the fault struck nothing: ${JSON.stringify(fault)}`);
  stack.faults.clear();
}

/** What the schedules find, and what comes back to the queues. */
export async function caughtUp(stack: Stack): Promise<void> {
  for (let round = 0; round < 3; round++) {
    stack.clock.advance(restMs);
    await stack.schedules.run("agentcore");
    await stack.queuePoller.idle();
  }
}
