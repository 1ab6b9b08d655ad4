// A team whose owner is in the first tier: all callers draw on one allowance, which holds whatever they do. It is played until half
// of the allowance is really used: that much is invoiced at once, and grows by the payment.
import { ownerAllowances } from "../../adapters/dynamodb/budget/allowances.ts";
import { spendingRecord } from "../../adapters/dynamodb/budget/spending.record.ts";
import { spendingOf } from "../../adapters/dynamodb/budget/spending-expressions.ts";
import { records } from "../../adapters/dynamodb/records.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { ownedTenantsRecord } from "../../adapters/dynamodb/workspace/owned-tenants.record.ts";
import { heldOf } from "../../domain/budget/allowance.ts";
import type { Limits } from "../../domain/budget/spending.ts";
import { nanoUsdPerUsd } from "../../domain/kernel/money.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { memoryClient } from "../../test/support/memory-dynamodb/document-client.ts";
import { Account, type Purpose, tableName } from "./account.ts";
import { type Message, modelPrice, play, promptOf } from "./model-call.ts";
import type { Rule } from "./rules.ts";
import type { Run } from "./virtual-time.ts";

export type TeamShape = {
  callers: number;
  /** So many calls are in flight at any time. */
  inFlight: number;
  maxTokens: number;
};

/** Counts of calls, while less than a tenth of the allowance is used and after that. */
export type Phase = {
  calls: number;
  admitted: number;
  refused: number;
  givenUp: number;
  shortened: number;
  cutShort: number;
};

export type TeamUse = {
  early: Phase;
  later: Phase;
  admitted: number;
  /** Milliseconds in admission of those that waited for others. */
  waits: number[];
  storeCalls: Record<Purpose, number>;
  /** Writes after which more was held than drawn, or more drawn than may be. */
  broken: number;
  /** USD that were really used. */
  used: number;
  takeBacks: number;
};

const model = modelPrice("claude-opus-5");
const trialCap = 50 * nanoUsdPerUsd;
const tenantId = "11111111-1111-4111-8111-111111111111";
const month = "2026-11";
const limits: Limits = {
  cap: undefined,
  enforcement: "reserved",
  maxInFlight: 64,
  rate: { burst: 60, perMinute: 600 },
};
/** Answers take 10 to 60 seconds at the model host's pace. */
const answerTokens = [700, 4_200] as const;
const promptKb = [4, 40] as const;
const maxTries = 10;
const retryMs = [2_000, 3_000] as const;
const waitedMs = 1_000;
const meterMs = 900_000;
const longestRun = 4 * 3_600_000;

export function teamOnAllowance(rule: Rule, shape: TeamShape, seed: number): Run<TeamUse> {
  const account = new Account(seed);
  const { chance, time, table } = account;
  const began = time.now;
  table.put({ ...ownedTenantsRecord.key({ owner_sub: "owner" }), [`t#${tenantId}`]: "2026-11-01", owned: 1 });
  const early: Phase = { calls: 0, admitted: 0, refused: 0, givenUp: 0, shortened: 0, cutShort: 0 };
  const later: Phase = { ...early };
  const waits: number[] = [];
  const sums = new Sums();
  let used = 0;
  let takeBacks = 0;
  table.onWrite = (before, after) => {
    sums.note(before, after);
    if (before?.takeback_until === undefined && after?.takeback_until !== undefined) takeBacks += 1;
  };
  const phase = () => (used < trialCap / 10 ? early : later);
  const isOver = () => used >= trialCap / 2 || time.now - began > longestRun;

  function messageOf(): Message {
    const bytes = Math.round(chance.between(...promptKb) * 1_000);
    const features = { caching: true, oneHourCaching: false, compaction: false };
    const prompt = promptOf(chance, bytes, { cachedShare: chance.pick([0, 0.9]), ...features });
    const outputTokens = chance.integer(...answerTokens);
    return { ...model, bytes, features, maxTokens: shape.maxTokens, prompt, outputTokens };
  }

  async function call(): Promise<void> {
    const message = messageOf();
    phase().calls += 1;
    for (let tries = 1; tries <= maxTries; tries++) {
      const context = {
        key: { tenantId, callerId: `caller-${chance.integer(1, shape.callers)}`, month },
        ...{ limits, onCredit: false, admittedAt: time.clock(), resetsAt: Date.UTC(2026, 11, 1) },
        freshLimits: async () => limits,
        allowance: { ownerSub: "owner", trialCap },
      };
      let waited = 0;
      try {
        const went = await play(account, rule, context, message, (_, milliseconds) => {
          waited = milliseconds;
        });
        if (went.milliseconds > waitedMs) waits.push(went.milliseconds);
        const seen = phase();
        seen.admitted += 1;
        if (went.maxTokens < shape.maxTokens) seen.shortened += 1;
        if (message.outputTokens > went.maxTokens) seen.cutShort += 1;
        used += went.cost;
        return;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (waited > waitedMs) waits.push(waited);
        phase().refused += 1;
        if (isOver()) return;
        await time.pause(chance.between(...retryMs));
      }
    }
    phase().givenUp += 1;
  }

  async function worker(): Promise<void> {
    await time.pause(chance.between(0, 10_000));
    while (!isOver()) {
      await call();
      await time.pause(chance.between(200, 3_000));
    }
  }

  /** The meter takes back what is idle, too. */
  async function meter(): Promise<void> {
    const allowances = ownerAllowances(rowsOf(memoryClient(table), tableName));
    while (!isOver()) {
      await time.pause(meterMs);
      for (let caller = 1; caller <= shape.callers; caller++) {
        const key = { tenantId, callerId: `caller-${caller}`, month };
        await allowances.takeBack(
          key,
          spendingOf(table.get(spendingRecord.key({ tenant_id: tenantId, caller_id: key.callerId, month }))),
        );
      }
    }
  }

  for (let each = 0; each < shape.inFlight; each++) void worker();
  void meter();
  const result = () => ({
    ...{ early, later, admitted: early.admitted + later.admitted, waits, takeBacks },
    ...{ storeCalls: account.storeCalls, broken: sums.broken, used: used / nanoUsdPerUsd },
  });
  return { time, result };
}

type Item = Record<string, unknown>;

/** Compares after each write what callers hold, what they have in slices, what the owner's row counts, and the allowance. */
class Sums {
  broken = 0;
  #held = 0;
  #slices = 0;
  #drawn = 0;

  note(before: Item | undefined, after: Item | undefined): void {
    const pk = String(after?.pk);
    if (pk.startsWith(records.allowance)) this.#drawn = Number(after?.drawn ?? 0);
    if (pk.startsWith(records.spending)) {
      const [old, now] = [spendingOf(before), spendingOf(after)];
      this.#held += heldOf(now) - heldOf(old);
      this.#slices += (now.allowance ?? 0) - (old.allowance ?? 0);
    }
    if (this.#held > this.#slices || this.#slices > this.#drawn || this.#drawn > trialCap) this.broken += 1;
  }
}
