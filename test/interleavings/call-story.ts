// One call from its reservation to its settlement, as the proxy's handler plays it.

import { admitToBudget } from "../../domain/budget/admit.ts";
import type { AdmissionContext } from "../../domain/budget/admitted.ts";
import { Lease } from "../../domain/budget/lease.ts";
import { monthOf, nextMonth } from "../../domain/kernel/period.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { Instance } from "./instance.ts";
import { judgeRefusal } from "./judge.ts";
import { type Call, costOf, ownerSub, tenantId, type World } from "./world.ts";

export async function playCall(world: World, instance: Instance, call: Call): Promise<void> {
  instance.call = call;
  try {
    await play(world, instance, call);
  } catch (error) {
    world.problem(`a call threw ${error instanceof Error ? error.stack : error}`);
  }
  instance.call = undefined;
}

async function play(world: World, instance: Instance, call: Call): Promise<void> {
  const { random } = world;
  const { clock, pause, schedule, spending } = instance;
  const reserved = await admitToBudget(instance.budget, contextOf(world, instance, call), requestOf(call)).catch(
    (error) => {
      if (!(error instanceof Refusal)) throw error;
      call.end = "refused";
      call.refusedWith = error.code;
      call.endedAt = world.time.now;
      world.count(`refused: ${error.code}`);
      judgeRefusal(world, call);
      return undefined;
    },
  );
  if (!reserved) return;
  const { reservation } = reserved;
  if (reservation.overdraft) world.count("overdrafts");
  if (reservation.bounds.output < call.maxTokens) world.count("shortened");

  if (random.happens(0.03)) {
    // The model host refuses.
    await instance.writer.release({ key: reserved.key, reservation, answerLost: reserved.answerLost });
    call.end = "unanswered";
    return;
  }
  const input = call.inputTokens;
  const output = Math.min(call.outputTokens, reservation.bounds.output);
  call.truth = { cost: costOf(input, output), tokens: input + output };
  const lease = new Lease({ spending, clock, schedule, log: { problem: () => {} } }, reserved);
  await pause(random.between(300, 6_000));
  lease.trueUp(costOf(input, reservation.bounds.output), input);
  await pause(random.between(200, random.happens(0.2) ? 200_000 : 20_000));
  const settled = await lease.end();
  const usage = { input, output, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
  // The answer's last byte is out: a serial caller comes back now.
  call.endedAt = world.time.now;
  call.end = "settled";
  await instance.writer.settle(settled, { usage, source: "final", cost: call.truth.cost });
  call.isBooked = true;
}

function contextOf(world: World, instance: Instance, call: Call): AdmissionContext {
  const admittedAt = instance.clock();
  const month = monthOf(admittedAt);
  call.month = month;
  return {
    key: { tenantId, callerId: call.callerId, month },
    limits: world.limitsAt(world.time.now - call.staleness),
    freshLimits: async () => {
      await instance.pause(world.random.between(4, 60));
      return world.limitsAt(world.time.now);
    },
    onCredit: call.onCredit,
    allowance: world.trialCap === undefined ? undefined : { ownerSub, trialCap: world.trialCap },
    admittedAt,
    resetsAt: nextMonth(admittedAt),
  };
}

function requestOf({ requestId, maxTokens, thinkingTokens, inputBound }: Call) {
  return {
    requestId,
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    maxTokens,
    thinkingTokens,
    boundsAt: (most: number) => ({ input: inputBound, output: most }),
    costAt: (most: number) => costOf(inputBound, most),
  };
}
