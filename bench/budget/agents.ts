// Agents of one caller against one budget: each works at tasks of several calls in a growing context, and its client comes
// back when it is refused. docs/decisions/0017 describes the shapes.

import { spendingRecord } from "../../adapters/dynamodb/budget/spending.record.ts";
import { spendingOf } from "../../adapters/dynamodb/budget/spending-expressions.ts";
import type { Limits } from "../../domain/budget/spending.ts";
import { nanoUsdPerUsd } from "../../domain/kernel/money.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { Account, type Purpose } from "./account.ts";
import { type Message, modelPrice, outputOf, play, promptOf, type Went } from "./model-call.ts";
import type { Rule } from "./rules.ts";
import type { Run } from "./virtual-time.ts";

export type Shape = {
  budgetUsd: number;
  /** The number of agents; from 1 to 20 unless given. */
  agents?: number;
  /** Unless given, from 20 to 300 at first and up to 600 later. */
  contextKb?: number;
  /** Two of a hundred answers have 8,000 to 60,000 tokens. */
  longAnswers?: boolean;
};

export type Traffic = {
  calls: number;
  admitted: number;
  /** Each time, also of a call that its client tries again. What is refused because all is spent is not among them. */
  refused: number;
  /** Refused with more than a tenth of the budget left. */
  refusedWithMoneyLeft: number;
  /** Calls whose clients stopped trying. */
  givenUp: number;
  /** Admitted with a lower `max_tokens` than asked for. */
  shortened: number;
  /** Answers of shortened calls that reached their lower `max_tokens`. */
  cutShort: number;
  /** Milliseconds in admission of those that took longer than its calls to the store. */
  waits: number[];
  storeCalls: Record<Purpose, number>;
  /** Beyond the budget, in the dearest requests of the run. Below 0 if something is left. */
  overshoot: number;
};

/** Four price classes, as often as these. */
const models = ["claude-opus-5-5", "claude-opus-5", "claude-sonnet-5-5", "claude-fable-5-1"].map(modelPrice);
const shares = [0.3, 0.25, 0.35, 0.1];
const maxTokens = 128_000;
const maxTries = 10;
/** A client that is told to come back in two seconds does so within three. */
const retryMs = [2_000, 3_000] as const;
const admissionMs = 100;
const longestRun = 8 * 3_600_000;
const key = { tenantId: "11111111-1111-4111-8111-111111111111", callerId: "developer", month: "2026-11" };

export function agentsAgainstBudget(rule: Rule, shape: Shape, seed: number): Run<Traffic> {
  const account = new Account(seed);
  const { chance, time } = account;
  const model = chance.weighted(models.map((each, index) => [shares[index] ?? 0, each] as const));
  const agents = shape.agents ?? chance.integer(1, 20);
  const oneHourCaching = chance.happens(0.5);
  const inLockStep = chance.happens(0.5);
  const firstKb = shape.contextKb ?? chance.between(20, 300);
  const longestKb = shape.contextKb ?? chance.between(firstKb, 600);
  const cap = shape.budgetUsd * nanoUsdPerUsd;
  const limits: Limits = {
    cap,
    enforcement: rule === "plain" ? "spent" : "reserved",
    maxInFlight: 64,
    rate: { burst: 60, perMinute: 600 },
  };
  const began = time.now;
  const seen = { calls: 0, admitted: 0, refused: 0, refusedWithMoneyLeft: 0, givenUp: 0, shortened: 0, cutShort: 0 };
  const waits: number[] = [];
  let isSpent = false;
  let dearest = 0;
  let truth = 0;

  const request = () => ({
    ...{ key, limits, onCredit: false, admittedAt: time.clock(), resetsAt: Date.UTC(2026, 11, 1) },
    freshLimits: async () => {
      account.storeCalls.limits += 1;
      await time.pause(5);
      return limits;
    },
  });

  function messageOf(kb: number, isFirst: boolean): Message {
    const cachedShare = isFirst ? (chance.happens(0.5) ? 0.5 : 0) : 0.9;
    const features = { caching: true, oneHourCaching, compaction: false };
    const isLong = shape.longAnswers === true && chance.happens(0.02);
    return {
      ...model,
      bytes: Math.round(kb * 1_000),
      features,
      maxTokens,
      prompt: promptOf(chance, kb * 1_000, { cachedShare, ...features }),
      outputTokens: isLong ? chance.integer(8_000, 60_000) : outputOf(chance, 900),
    };
  }

  function note({ milliseconds, cost, maxTokens: sentWith }: Went, { outputTokens }: Message): void {
    seen.admitted += 1;
    truth += cost;
    dearest = Math.max(dearest, cost);
    if (sentWith < maxTokens) seen.shortened += 1;
    if (outputTokens > sentWith) seen.cutShort += 1;
    noteWait(milliseconds);
  }

  function noteWait(milliseconds: number): void {
    if (milliseconds > admissionMs) waits.push(milliseconds);
  }

  function noteRefusal({ code }: Refusal, milliseconds: number): void {
    noteWait(milliseconds);
    if (code === "budget_exceeded") {
      isSpent = true;
      return;
    }
    seen.refused += 1;
    const { spent } = spendingOf(
      account.table.get(spendingRecord.key({ tenant_id: key.tenantId, caller_id: key.callerId, month: key.month })),
    );
    if (spent < 0.9 * cap) seen.refusedWithMoneyLeft += 1;
  }

  /** Plays a call as its client does, repeats included. */
  async function call(message: Message): Promise<boolean> {
    seen.calls += 1;
    for (let tries = 1; tries <= maxTries; tries++) {
      try {
        note(await play(account, rule, request(), message, noteRefusal), message);
        return true;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (isSpent) return false;
        await time.pause(chance.between(...retryMs));
      }
    }
    seen.givenUp += 1;
    return false;
  }

  async function agent(): Promise<void> {
    await time.pause(inLockStep ? chance.between(0, 300) : chance.between(0, 60_000));
    while (!isSpent && time.now - began < longestRun) {
      let kb = firstKb;
      let isFirst = true;
      for (let calls = chance.integer(3, 22); calls > 0 && !isSpent; calls--) {
        const isAnswered = await call(messageOf(kb, isFirst));
        isFirst &&= !isAnswered;
        kb = Math.min(longestKb, kb * chance.between(1, 1.08));
        await time.pause(chance.happens(0.7) ? chance.between(200, 3_000) : chance.between(3_000, 30_000));
      }
      // All start their next task together.
      if (inLockStep) await time.pause(20_000 - ((time.now - began) % 20_000) + chance.between(0, 300));
    }
  }

  for (let index = 0; index < agents; index++) void agent();
  const result = () => ({ ...seen, waits, storeCalls: account.storeCalls, overshoot: (truth - cap) / dearest });
  return { time, result };
}
