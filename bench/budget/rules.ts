// The rules that are compared: the product's own, its plain check, and what it did before: each admits a call or refuses it.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { spendingRecord } from "../../adapters/dynamodb/budget/spending.record.ts";
import { admitToBudget } from "../../domain/budget/admit.ts";
import type { AdmissionContext } from "../../domain/budget/admitted.ts";
import { Lease } from "../../domain/budget/lease.ts";
import type { Outcome } from "../../domain/budget/ledger-row.ts";
import { overBudget } from "../../domain/budget/limit-refusal.ts";
import type { AdmissionRequest } from "../../domain/budget/plan.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { type Account, type Instance, tableName } from "./account.ts";

/** `kept`: idle slices of an allowance come back with the meter alone. */
export type Rule = "new" | "plain" | "before" | "kept";

/** A call that may be made. */
export type Admission = {
  /** The `max_tokens` to send, perhaps less than was asked for. */
  maxTokens: number;
  /** Called at `message_start` with the most that the call can cost, now that its prompt is counted. */
  trueUp: (amount: number, inputTokens: number) => void;
  settle: (outcome: Outcome) => Promise<void>;
};

type Asking = {
  account: Account;
  instance: Pick<Instance, "budget" | "settlements" | "spending">;
  context: AdmissionContext;
  request: AdmissionRequest;
};

/** @throws Refusal */
export function admit(rule: Rule, asking: Asking): Promise<Admission> {
  if (rule === "before") return admitAsBefore(asking);
  return admitByProduct(rule === "kept" ? { ...asking, instance: keeping(asking) } : asking);
}

/** An instance that never takes back idle slices, and takes the rest of the allowance for used up. */
function keeping({ account, instance }: Asking): Asking["instance"] {
  const takeBack = async () => ({ at: account.time.clock(), inFlight: 0, freed: 0 });
  return { ...instance, budget: { ...instance.budget, idleSlices: { takeBack } } };
}

/** The product's own code; `limits.enforcement` tells the new rule from the plain check. */
async function admitByProduct({ account, instance, context, request }: Asking): Promise<Admission> {
  const { budget, settlements, spending } = instance;
  const { clock, schedule } = account.time;
  const reserved = await admitToBudget(budget, context, request);
  const lease = new Lease({ spending, clock, schedule, log: { problem: () => {} } }, reserved);
  return {
    maxTokens: reserved.reservation.bounds.output,
    trueUp: (amount, inputTokens) => lease.trueUp(amount, inputTokens),
    settle: async (outcome) => settlements.settle(await lease.end(), outcome),
  };
}

/** A refusal waited so long for settlements (docs/decisions/0007). */
const pausesBefore = [20, 80, 250];

/** The rule before leases: the full bound is reserved, and a call that is alone may go beyond the budget. */
async function admitAsBefore({ account, context: { key, limits, resetsAt }, request }: Asking): Promise<Admission> {
  const { cap = Number.MAX_SAFE_INTEGER } = limits;
  const amount = request.costAt(request.maxTokens);
  const item = {
    TableName: tableName,
    Key: spendingRecord.key({ tenant_id: key.tenantId, caller_id: key.callerId, month: key.month }),
  };
  const reserve = new UpdateCommand({
    ...item,
    UpdateExpression: "ADD committed :a, spent :zero, inflight :one",
    ConditionExpression:
      "(attribute_not_exists(spent) OR spent < :cap) AND (attribute_not_exists(committed) OR committed <= :room OR committed = spent)",
    ExpressionAttributeValues: { ":a": amount, ":zero": 0, ":one": 1, ":cap": cap, ":room": cap - amount },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  for (let tries = 0; ; tries++) {
    try {
      await account.send("admission", reserve);
      break;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const { spent } = unmarshall(error.Item ?? {}) as { spent: number };
      if (spent >= cap) throw overBudget(resetsAt);
      const milliseconds = pausesBefore[tries];
      if (milliseconds === undefined) {
        throw new Refusal("budget_reserved", "The rest is reserved.", { retryAfterSeconds: 2 });
      }
      await account.time.pause(milliseconds);
    }
  }
  const settle = (cost: number) =>
    new UpdateCommand({
      ...item,
      UpdateExpression: "ADD spent :c, committed :d, inflight :minus",
      ExpressionAttributeValues: { ":c": cost, ":d": cost - amount, ":minus": -1 },
    });
  return {
    maxTokens: request.maxTokens,
    trueUp: () => {},
    settle: async ({ cost }) => void (await account.send("settlement", settle(cost))),
  };
}
