// The expressions of the spending writes against DynamoDB's limits and the lengths that were counted for them.
import { describe, expect, test } from "@jest/globals";
import {
  creditAdmission,
  creditChange,
  creditCorrection,
  creditSettlement,
} from "../../../../adapters/dynamodb/budget/credit-expressions.ts";
import {
  admission,
  change,
  correction,
  moveIn,
  settlement,
  tombstone,
  tombstoneRemoval,
} from "../../../../adapters/dynamodb/budget/spending-expressions.ts";
import { type Asked, writeOf } from "../../../../domain/budget/attempt.ts";
import { creditGuards } from "../../../../domain/budget/plan.ts";
import type { Reservation } from "../../../../domain/budget/reservation.ts";
import { nothingSpent } from "../../../../domain/budget/spending.ts";
import { aKey, aReservation, next, now, theLimits } from "../../../support/accounting/spending-table.ts";

const key = aKey();
const limits = theLimits();
const nowMicros = now * 1_000;
/** A state of the bucket for each form of a turn. */
const buckets = {
  idle: { tat: 0 },
  busy: { tat: nowMicros + 1 },
  impossible: { tat: nowMicros + 1e12 },
  changed: { tat: nowMicros + 1, tatRate: "7/7" },
};
const forms = ["idle", "busy", "impossible", "changed"] as const;
const reserved = aReservation("7c6f1d8e-00ff-4a2b-9cde-0123456789ab");
const holder = { ...reserved, overdraft: true };
const fallback = { model: "claude-sonnet-5", region: "eu-central-2", until: now };
const ticket = { ...reserved, amount: 0 };

/** The write of an owner's limited caller, which has the most guards. */
function admit(form: (typeof forms)[number], reservation: Reservation | undefined, from?: Reservation) {
  const asked: Asked = {
    ...{ key, limits, ticket: from, requestId: reserved.requestId, onCredit: false, isLimited: true, until: 0 },
    hasFreshLimits: true,
  };
  return admission(writeOf(asked, reservation, { spending: { ...nothingSpent, ...buckets[form] } }, { nowMicros }), 1);
}

type Written = { UpdateExpression: string; ConditionExpression?: string; ExpressionAttributeValues?: object };

const writes: [name: string, written: Written][] = [
  ...forms.flatMap((form): [string, Written][] => [
    [`admit, ${form}`, admit(form, reserved)],
    [`overdraw, ${form}`, admit(form, holder)],
    [`ticket, ${form}`, admit(form, ticket)],
    [`pass, ${form}`, admit(form, undefined)],
  ]),
  ["fill", admit("idle", next(reserved), ticket)],
  ["fill, overdraw", admit("idle", next(holder), ticket)],
  ["true-up", change({ key, from: reserved, to: next(reserved) })],
  ["true-up, in another region", change({ key, from: reserved, to: { ...next(reserved), region: "us-east-1" } })],
  ["true-up, holder", change({ key, from: holder, to: next(holder) })],
  ["move in", moveIn({ key, limits, from: holder, to: next(reserved) })],
  ["settle", settlement({ reservation: reserved, cost: 1 })],
  ["settle, a fallback begins", settlement({ reservation: reserved, cost: 1, begun: fallback })],
  ["settle, fallbacks end", settlement({ reservation: reserved, cost: 1, ended: [fallback] })],
  ["settle, holder", settlement({ reservation: holder, cost: 1 })],
  ["tombstone", tombstone(key, { requestId: reserved.requestId, leaseEndsAt: now }, 1)],
  ["tombstone taken away", tombstoneRemoval(reserved.requestId)],
  ["correction", correction(-1)],
  ["credit, admit", creditAdmission(key, reserved, creditGuards(10_000, 1))],
  ["credit, change", creditChange(reserved, next(reserved))],
  ["credit, settle", creditSettlement(reserved, 1)],
  ["credit, correction", creditCorrection(-1)],
];

const lengthOf = ({ UpdateExpression, ConditionExpression = "" }: Written) =>
  UpdateExpression.length + ConditionExpression.length;
const operatorsOf = ({ UpdateExpression, ConditionExpression = "" }: Written) =>
  `${UpdateExpression} ${ConditionExpression}`.match(/[<>]=?|=|\+|\b(AND|OR|ADD|REMOVE|DELETE)\b|\w+\(/g)?.length;

// docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html, "Expression parameters"
describe.each(writes)("%s", (_name, write) => {
  test("each expression of spending is far below DynamoDB's limits of 4 KB and 300 operators", () => {
    expect(lengthOf(write)).toBeLessThanOrEqual(615);
    expect(operatorsOf(write)).toBeLessThanOrEqual(40);
  });

  test("each expression of spending uses every value that it declares, and declares every value that it uses", () => {
    const { UpdateExpression, ConditionExpression, ExpressionAttributeValues = {} } = write;
    const named = `${UpdateExpression} ${ConditionExpression}`.match(/:\w+/g) ?? [];
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(ExpressionAttributeValues).toSorted());
  });
});

test("the longest write of spending has 615 characters in both expressions: a limited caller's overdraft with a rate limit in use", () => {
  expect(Math.max(...writes.map(([, write]) => lengthOf(write)))).toBe(615);
});
