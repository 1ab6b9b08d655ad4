// A crowd of clients under one caller's rate limit: whether it gets what the limit allows, never more, at how many calls to
// the store; and what a change of the limit does to it.

import type { RateLimit } from "../../domain/budget/rate-limit.ts";
import type { Limits } from "../../domain/budget/spending.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { Account, type Purpose } from "./account.ts";
import { type Message, modelPrice, play, promptOf } from "./model-call.ts";
import type { Run } from "./virtual-time.ts";

export type RateShape = {
  clients: number;
  rate: RateLimit;
  /** The limit from the middle of the run on. */
  changed?: RateLimit;
};

export type RateUse = {
  admitted: number;
  refused: number;
  storeCalls: Record<Purpose, number>;
  /** Shares of what the limit allows: before the change, in the first minute after it, and later. */
  shares: number[];
  /** Admitted beyond the limit, at most at any moment, in calls. */
  beyond: number;
  /** The longest time without an admission after the change (or the start), in intervals of the limit in force. */
  longestGap: number;
};

const model = modelPrice("claude-haiku-5-5");
const halfMs = 90_000;
/** Functions read grants again after this time. */
const cacheMs = 60_000;
const minute = 60_000;
const key = { tenantId: "11111111-1111-4111-8111-111111111111", callerId: "crowd", month: "2026-11" };

export function crowdUnderRateLimit({ clients, rate, changed = rate }: RateShape, seed: number): Run<RateUse> {
  const account = new Account(seed);
  const { chance, time, table } = account;
  const began = time.now;
  const changesAt = began + halfMs;
  const endsAt = changesAt + halfMs;
  const admissions: number[] = [];
  let refused = 0;
  table.onWrite = (before, after) => {
    if (Number(after?.inflight) > Number(before?.inflight ?? 0)) admissions.push(time.now);
  };
  const limitsAt = (at: number): Limits => ({
    ...{ cap: undefined, enforcement: "reserved", maxInFlight: 10_000 },
    rate: at < changesAt ? rate : changed,
  });

  /** @param staleness how old the limits are that its function knows, in milliseconds */
  async function client(staleness: number, isPatient: boolean): Promise<void> {
    await time.pause(chance.between(0, 1_000));
    while (time.now < endsAt) {
      const request = {
        ...{ key, onCredit: false, admittedAt: time.clock(), resetsAt: Date.UTC(2026, 11, 1) },
        limits: limitsAt(time.now - staleness),
        freshLimits: async () => {
          account.storeCalls.limits += 1;
          await time.pause(5);
          return limitsAt(time.now);
        },
      };
      let retryMs = 0;
      const noteRefusal = ({ retryAfterSeconds = 1 }: Refusal) => {
        refused += 1;
        retryMs = isPatient ? retryAfterSeconds * 1_000 * chance.between(1, 1.25) : chance.between(50, 500);
      };
      await play(account, "new", request, messageOf(), noteRefusal).catch((error) => {
        if (!(error instanceof Refusal)) throw error;
      });
      await time.pause(retryMs);
    }
  }

  function messageOf(): Message {
    const features = { caching: false, oneHourCaching: false, compaction: false };
    const prompt = promptOf(chance, 1_000, { cachedShare: 0, ...features });
    return { ...model, bytes: 1_000, features, maxTokens: 200, prompt, outputTokens: chance.integer(1, 20) };
  }

  // A quarter of the clients does as it is told; the rest makes the crowd.
  for (let index = 0; index < clients; index++) void client(chance.between(0, cacheMs), index % 4 === 0);

  function result(): RateUse {
    const phases = [
      { from: began, until: changesAt, limit: rate, rested: rate.burst },
      { from: changesAt, until: changesAt + minute, limit: changed, rested: 0 },
      { from: changesAt + minute, until: endsAt, limit: changed, rested: 0 },
    ];
    const shares = phases.map(({ from, until, limit, rested }) => {
      const count = admissions.filter((at) => at >= from && at < until).length;
      return count / (rested + ((until - from) / minute) * limit.perMinute);
    });
    // A limit that was changed may be used in full, whatever was used of the one before.
    const isChanged = changed !== rate;
    const eras = [
      { admitted: admissions.filter((at) => !isChanged || at < changesAt), limit: rate },
      { admitted: admissions.filter((at) => isChanged && at >= changesAt), limit: changed },
    ];
    const later = [changesAt, ...admissions.filter((at) => at > changesAt && at < endsAt), endsAt];
    const gaps = later.map((at, index) => at - (later[index - 1] ?? at));
    return {
      ...{ admitted: admissions.length, refused, storeCalls: account.storeCalls, shares },
      beyond: Math.max(...eras.map(({ admitted, limit }) => beyondLimit(admitted, limit))),
      longestGap: (Math.max(...gaps) / minute) * changed.perMinute,
    };
  }

  return { time, result };
}

/** A bucket that leaks at the limit's rate, as full as ever beyond the burst. */
function beyondLimit(admissions: readonly number[], { burst, perMinute }: RateLimit): number {
  let level = 0;
  let last = admissions[0] ?? 0;
  let beyond = Number.NEGATIVE_INFINITY;
  for (const at of admissions) {
    level = Math.max(0, level - ((at - last) / minute) * perMinute) + 1;
    last = at;
    beyond = Math.max(beyond, level - burst);
  }
  return beyond;
}
