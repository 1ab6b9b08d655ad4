// Callers of one tenant without a payment method, who share its free credit: how much of it they get, and how far beyond.

import { creditRecord } from "../../adapters/dynamodb/budget/credit.record.ts";
import { creditOf } from "../../adapters/dynamodb/budget/credit-expressions.ts";
import type { Limits } from "../../domain/budget/spending.ts";
import { totalTokens } from "../../domain/catalog/token-usage.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { freeCreditTokens } from "../../domain/workspace/tenant.ts";
import { Account, type Purpose } from "./account.ts";
import { type Message, modelPrice, outputOf, play, promptOf } from "./model-call.ts";
import type { Run } from "./virtual-time.ts";

export type CreditShape = {
  /** How many callers, and how many requests of each at a time. */
  callers: number;
  parallel: number;
  /** Bodies are from so many bytes to so many. */
  bytes: readonly [number, number];
  maxTokens: readonly number[];
};

export type CreditUse = {
  calls: number;
  admitted: number;
  /** Refused with some of the credit left. */
  refused: number;
  /** Refused with credit left because of others in flight; the other refusals ask for more than is left. */
  refusedForOthers: number;
  shortened: number;
  cutShort: number;
  waits: number[];
  storeCalls: Record<Purpose, number>;
  /** Tokens that the tenant took in all, by the model host's counts. */
  takenTokens: number;
  /** Tokens in the credit item at the end. */
  bookedTokens: number;
};

const model = modelPrice("claude-sonnet-5-5");
/** Without a payment method nobody tries for ever. */
const maxRefusalsInARow = 10;
const tenantId = "11111111-1111-4111-8111-111111111111";
const limits: Limits = {
  cap: undefined,
  enforcement: "reserved",
  maxInFlight: 64,
  rate: { burst: 60, perMinute: 600 },
};

export function callersOnFreeCredit(shape: CreditShape, seed: number): Run<CreditUse> {
  const account = new Account(seed);
  const { chance, time, table } = account;
  table.put({ ...creditRecord.key({ tenant_id: tenantId }), granted_tokens: freeCreditTokens, spent: 0, committed: 0 });
  const credit = () => creditOf(table.get(creditRecord.key({ tenant_id: tenantId })));
  const isSpent = () => credit().spent >= freeCreditTokens;
  const seen = { calls: 0, admitted: 0, refused: 0, refusedForOthers: 0, shortened: 0, cutShort: 0 };
  const waits: number[] = [];
  let takenTokens = 0;

  function messageOf(): Message {
    const bytes = Math.round(chance.between(...shape.bytes));
    const features = { caching: false, oneHourCaching: false, compaction: false };
    const prompt = promptOf(chance, bytes, { cachedShare: 0, ...features });
    const maxTokens = chance.pick(shape.maxTokens);
    return { ...model, bytes, features, maxTokens, prompt, outputTokens: Math.min(maxTokens, outputOf(chance, 400)) };
  }

  function noteRefusal({ code }: Refusal, milliseconds: number): void {
    waits.push(milliseconds);
    if (isSpent()) return;
    seen.refused += 1;
    if (code !== "credit_exhausted") seen.refusedForOthers += 1;
  }

  async function call(callerId: string): Promise<boolean> {
    const request = {
      key: { tenantId, callerId, month: "2026-11" },
      ...{ limits, onCredit: true, admittedAt: time.clock(), resetsAt: Date.UTC(2026, 11, 1) },
      freshLimits: async () => limits,
    };
    const message = messageOf();
    seen.calls += 1;
    try {
      const { usage, maxTokens, milliseconds } = await play(account, "new", request, message, noteRefusal);
      seen.admitted += 1;
      takenTokens += totalTokens(usage);
      if (maxTokens < message.maxTokens) seen.shortened += 1;
      if (message.outputTokens > maxTokens) seen.cutShort += 1;
      waits.push(milliseconds);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return false;
    }
  }

  async function client(callerId: string): Promise<void> {
    await time.pause(chance.between(0, 300));
    for (let refusals = 0; refusals < maxRefusalsInARow && !isSpent(); ) {
      refusals = (await call(callerId)) ? 0 : refusals + 1;
      await time.pause(chance.between(200, 3_000));
    }
  }

  for (let caller = 0; caller < shape.callers; caller++) {
    for (let index = 0; index < shape.parallel; index++) void client(`caller-${caller}`);
  }
  const result = () => ({
    ...{ ...seen, waits, storeCalls: account.storeCalls, takenTokens },
    bookedTokens: credit().spent,
  });
  return { time, result };
}
