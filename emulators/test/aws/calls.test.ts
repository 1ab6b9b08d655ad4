import { expect, test } from "@jest/globals";
import { type Call, Calls } from "../../aws/calls.ts";

function aCall(operation: string): Call {
  return { at: 0, service: "dynamodb", operation, decisions: [], allowed: true, status: 200, durationMs: 1 };
}

function add(calls: Calls, ...operations: string[]): void {
  for (const operation of operations) calls.add(aCall(operation));
}

const operationsOf = (calls: Call[]) => calls.map(({ operation }) => operation);

test("calls are kept in their order", () => {
  const calls = new Calls();
  add(calls, "a", "b");
  expect(operationsOf(calls.all())).toEqual(["a", "b"]);
});

test("a cursor returns only the calls that came after it", () => {
  const calls = new Calls();
  add(calls, "a");
  const first = calls.since(0);
  add(calls, "b", "c");
  const second = calls.since(first.cursor);
  expect(operationsOf(first.calls)).toEqual(["a"]);
  expect(operationsOf(second.calls)).toEqual(["b", "c"]);
  expect(calls.since(second.cursor).calls).toEqual([]);
});

test("clearing forgets the calls and keeps the cursors valid", () => {
  const calls = new Calls();
  add(calls, "a", "b");
  const { cursor } = calls.since(0);
  calls.clear();
  add(calls, "c");
  expect(operationsOf(calls.all())).toEqual(["c"]);
  expect(operationsOf(calls.since(cursor).calls)).toEqual(["c"]);
  expect(operationsOf(calls.since(0).calls)).toEqual(["c"]);
});

test("the oldest recorded calls are dropped when there are too many, and cursors skip them", () => {
  const calls = new Calls(2);
  add(calls, "a");
  const { cursor } = calls.since(0);
  add(calls, "b", "c", "d");
  expect(operationsOf(calls.all())).toEqual(["c", "d"]);
  expect(operationsOf(calls.since(cursor).calls)).toEqual(["c", "d"]);
  add(calls, "e");
  expect(operationsOf(calls.since(cursor).calls)).toEqual(["c", "d", "e"]);
});

test("uses are counted by role and action, and outlive the calls", () => {
  const calls = new Calls();
  calls.count("proxy", "dynamodb:GetItem", { allowed: true, statements: ["p#1"] });
  calls.count("proxy", "dynamodb:GetItem", { allowed: true, statements: ["p#1", "p#2"] });
  calls.count("proxy", "dynamodb:GetItem", { allowed: false, statements: [] });
  calls.count("meter", "dynamodb:GetItem", { allowed: true, statements: ["m#1"] });
  calls.clear();
  expect(calls.uses()).toEqual([
    { role: "proxy", action: "dynamodb:GetItem", allowed: 2, denied: 1, statements: ["p#1", "p#2"] },
    { role: "meter", action: "dynamodb:GetItem", allowed: 1, denied: 0, statements: ["m#1"] },
  ]);
});

test("uses of a right are counted by kind of record if the right names kinds; a call on two kinds counts once for each", () => {
  const calls = new Calls();
  const allowed = (...leadingKeys: string[]) => ({ allowed: true, statements: ["p#1"], leadingKeys });
  calls.count("proxy", "dynamodb:GetItem", allowed("KEY#*"));
  calls.count("proxy", "dynamodb:GetItem", allowed("KEY#*", "GRANT#*"));
  calls.count("proxy", "dynamodb:GetItem", { allowed: false, statements: [] });
  const use = { role: "proxy", action: "dynamodb:GetItem", allowed: 0, denied: 0, statements: ["p#1"] };
  expect(calls.uses()).toEqual([
    { ...use, leadingKeys: "KEY#*", allowed: 2 },
    { ...use, leadingKeys: "GRANT#*", allowed: 1 },
    { ...use, denied: 1, statements: [] },
  ]);
});
