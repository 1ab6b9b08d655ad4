// The expressions of the spending writes against DynamoDB's limits and the lengths that were counted for them.
import { describe, expect, test } from "@jest/globals";
import {
  creditAdmission,
  creditChange,
  creditCorrection,
  creditSettlement,
} from "../../../../adapters/dynamodb/budget/credit-expressions.ts";
import type { RateGuess } from "../../../../adapters/dynamodb/budget/rate-expression.ts";
import {
  admission,
  change,
  correction,
  fill,
  moveIn,
  passing,
  settlement,
  tombstone,
  tombstoneRemoval,
} from "../../../../adapters/dynamodb/budget/spending-expressions.ts";
import { aKey, aReservation, next, now, theLimits } from "../../../support/accounting/spending-table.ts";

const key = aKey();
const limits = theLimits();
const guess = (form: RateGuess["form"]): RateGuess => ({ form, slackMicros: 0, nowMicros: now * 1000 });
const forms = ["idle", "busy", "impossible", "changed"] as const;
const reserved = aReservation("7c6f1d8e-00ff-4a2b-9cde-0123456789ab");
const holder = { ...reserved, overdraft: true };
const ticket = { ...reserved, amount: 0 };

type Written = { UpdateExpression: string; ConditionExpression?: string; ExpressionAttributeValues?: object };

const writes: [name: string, written: Written][] = [
  ...forms.flatMap((form): [string, Written][] => [
    [`admit, ${form}`, admission({ key, limits }, reserved, guess(form))],
    [`overdraw, ${form}`, admission({ key, limits }, holder, guess(form))],
    [`ticket, ${form}`, admission({ key, limits }, ticket, guess(form))],
    [`pass, ${form}`, passing(limits, guess(form))],
  ]),
  ["fill", fill({ key, limits, from: ticket, to: next(reserved) })],
  ["fill, overdraw", fill({ key, limits, from: ticket, to: next(holder) })],
  ["true-up", change({ key, from: reserved, to: next(reserved) })],
  ["true-up, holder", change({ key, from: holder, to: next(holder) })],
  ["move in", moveIn({ key, limits, from: holder, to: next(reserved) })],
  ["settle", settlement({ reservation: reserved, cost: 1 })],
  ["settle, holder", settlement({ reservation: holder, cost: 1 })],
  ["tombstone", tombstone(key, { requestId: reserved.requestId, leaseEndsAt: now }, 1)],
  ["tombstone taken away", tombstoneRemoval(reserved.requestId)],
  ["correction", correction(-1)],
  ["credit, admit", creditAdmission(key, reserved, 10_000)],
  ["credit, change", creditChange(reserved, next(reserved))],
  ["credit, settle", creditSettlement(reserved, 1)],
  ["credit, correction", creditCorrection(-1)],
];

const lengthOf = ({ UpdateExpression, ConditionExpression = "" }: Written) =>
  UpdateExpression.length + ConditionExpression.length;
const operatorsOf = ({ UpdateExpression, ConditionExpression = "" }: Written) =>
  `${UpdateExpression} ${ConditionExpression}`.match(/[<>]=?|=|\+|\b(AND|OR|ADD|REMOVE)\b|\w+\(/g)?.length;

// docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html, "Expression parameters"
describe.each(writes)("%s", (_name, write) => {
  test("is far below DynamoDB's 4 KB an expression and 300 operators", () => {
    expect(lengthOf(write)).toBeLessThanOrEqual(489);
    expect(operatorsOf(write)).toBeLessThanOrEqual(32);
  });

  test("names every value that it has, and has every value that it names", () => {
    const { UpdateExpression, ConditionExpression, ExpressionAttributeValues = {} } = write;
    const named = `${UpdateExpression} ${ConditionExpression}`.match(/:\w+/g) ?? [];
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(ExpressionAttributeValues).toSorted());
  });
});

test("the longest has 489 characters in both expressions together: an overdraft in a bucket that is in use", () => {
  expect(Math.max(...writes.map(([, write]) => lengthOf(write)))).toBe(489);
});
