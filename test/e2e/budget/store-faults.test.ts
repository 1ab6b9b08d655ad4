// Whatever the store or the token service does: whole answers stay whole, a call that cannot be admitted is told so, and in
// the end the ledger and the spending hold what the model host counted, once, with nothing left reserved.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { monthOf } from "../../../domain/kernel/period.ts";
import type { FaultInput } from "../../../emulators/aws/faults.ts";
import { helperToken } from "../../../local/demo/app-client.ts";
import type { Demo } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { accounted, settled } from "../../support/accounting/accounting.ts";
import { type Exchange, expectFailure, type Failure, exchange as send, sse } from "../../support/exchanges.ts";
import { type Account, accountingOf, countedCost, expectClosed, openAccount } from "../../support/people/accounts.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";
import { few, isLong, longTest } from "../../support/sizes.ts";
import { awayFromMonthEnd } from "../../support/time.ts";

let stack: Stack;
let account: Account;
const accounts: Account[] = [];
beforeAll(async () => {
  stack = await startSeeded();
  // Rows are compared with the spending of one month, and each fault takes its minutes.
  awayFromMonthEnd(stack, 12);
  account = await open();
});
afterAll(() => stack.stop());

afterEach(async () => {
  stack.faults.clear();
  await settled(stack);
  await expectBalanced().catch(async (error) => {
    // The tests after it are not to fail for this one.
    stack.bedrock.clear();
    accounts.length = 0;
    account = await open();
    throw error;
  });
});

async function open(): Promise<Account> {
  const opened = await openAccount(stack);
  accounts.push(opened);
  return opened;
}

let words = 0;

/** Each request is a little longer than the one before, so that no cost stands for another's. */
function exchange(caller: Account, stream = true): Promise<Exchange> {
  words += 1;
  return send(stack, caller, { stream, messages: [{ role: "user", content: "word ".repeat(words) }] });
}

const sum = (costs: number[]) => costs.reduce((total, cost) => total + cost, 0);

/** Ledger, spending and the model host's count agree, call by call; nothing is reserved. */
async function expectBalanced(): Promise<void> {
  const rows = (await Promise.all(accounts.map((each) => expectClosed(stack, each)))).flat();
  const counted = stack.bedrock.requests().filter(({ usage }) => usage);
  expect(rows.map(({ cost }) => cost).sort()).toEqual(counted.map(countedCost).sort());
}

type Call = "admission" | "ledger" | "settlement";

/** The calls of a request to the store, as they look on the wire. */
function callOf(call: Call, { callerId }: Account): Pick<FaultInput, "service" | "operation" | "match"> {
  const service = "dynamodb";
  if (call === "ledger")
    return { service, operation: "PutItem", match: `"caller_id":{"S":"${callerId}"},"request_id"` };
  // Whoever settles: the SDK of `settle` orders a call's members otherwise than the proxy's client.
  if (call === "settlement") return { service, operation: "UpdateItem", match: '"UpdateExpression":"REMOVE #r' };
  const month = monthOf(stack.clock.now());
  const match = `#${callerId}"},"sk":{"S":"MONTH#${month}"}},"UpdateExpression":"SET`;
  return { service, operation: "UpdateItem", match };
}

const struck = () => stack.faults.list().map((fault) => fault.struck);

const kinds: [string, Pick<FaultInput, "kind" | "when" | "milliseconds">][] = [
  ["in conflict", { kind: "conflict", when: "before" }],
  ["done, but the answer is lost", { kind: "cut", when: "after" }],
  ["throttled", { kind: "throttle", when: "before" }],
  ["failed", { kind: "error", when: "before" }],
  ["cut off", { kind: "cut", when: "before" }],
  ["late", { kind: "delay", when: "before", milliseconds: 100 }],
  ["done, but said to have failed", { kind: "error", when: "after" }],
  ["done, but said to be throttled", { kind: "throttle", when: "after" }],
];

/** A write that took effect is refused by its own condition when it is tried again; so its later tries fail beforehand. */
const lost = (first: Pick<FaultInput, "kind">): Omit<FaultInput, "service" | "operation">[] => [
  { ...first, when: "after" },
  { kind: "error", when: "before", nth: 2, times: 1_000 },
];
const outages: [string, boolean, Omit<FaultInput, "service" | "operation">[]][] = [
  ["failed", false, [{ kind: "error", when: "before", times: 1_000 }]],
  ["done without an answer", true, lost({ kind: "cut" })],
  ["throttled", false, [{ kind: "throttle", when: "before", times: 1_000 }]],
  ["in conflict", false, [{ kind: "conflict", when: "before", times: 1_000 }]],
  ["cut off", false, [{ kind: "cut", when: "before", times: 1_000 }]],
  ["done and said to have failed", true, lost({ kind: "error" })],
];

const put = (call: Call, faults: Omit<FaultInput, "service" | "operation">[], caller = account) =>
  stack.faults.put(faults.map((fault) => ({ ...callOf(call, caller), ...fault })));

function expectWhole({ response, text, call }: Exchange, streamed: boolean): void {
  expect(response.status).toBe(200);
  expect(call?.outcome).toBe("complete");
  expect(text).toBe(streamed ? sse(call?.chunks ?? []) : call?.chunks[0]);
}

describe.each<Call>(["admission", "ledger", "settlement"])("the %s once", (call) => {
  test.each(few(2, kinds))("the store fault %s is tried again without the caller noticing", async (_name, fault) => {
    stack.faults.put([{ ...callOf(call, account), ...fault }]);
    const made = await exchange(account);
    expect(struck()).toEqual([1]);
    expectWhole(made, true);
    expect(made.row).toMatchObject({ source: "final" });
  });
});

const unavailable: Failure = { status: 503, type: "overloaded_error", code: "store_unavailable", retryAfter: "1" };
const down = { times: 1_000 };

describe("an admission that fails at every attempt", () => {
  test.each(few(2, outages))(
    "an admission that fails with %s at every attempt is answered with 503, and the model host is not called",
    async (_name, _done, faults) => {
      put("admission", faults);
      const made = await exchange(account);
      expect(sum(struck())).toBeGreaterThan(1);
      expectFailure(made, unavailable);
      expect([made.call, made.row]).toEqual([undefined, undefined]);
    },
  );

  test("a settlement whose answer is lost is done from the queue", async () => {
    stack.faults.put([
      ...lost({ kind: "cut" }).map((fault) => ({ ...callOf("admission", account), ...fault })),
      { ...callOf("settlement", account), kind: "cut", when: "before", ...down },
    ]);
    expectFailure(await exchange(account), unavailable);
    expect((await accountingOf(stack, account)).spending).toMatchObject({ inflight: 1 });
    stack.faults.clear();
    await accounted(stack);
  });

  test("a store refusal that is not an outage is an internal error without details", async () => {
    put("admission", [{ kind: "error", when: "before", code: "ValidationException", ...down }]);
    expectFailure(await exchange(account), { status: 500, type: "api_error", code: "internal" });
  });
});

describe.each<Call>(["ledger", "settlement"])("a write to the %s that fails at every attempt", (call) => {
  const cases = few(2, outages).flatMap(([name, done, faults]) => [
    { name, way: "streamed", done, faults },
    ...(name === "failed" ? [{ name, way: "whole", done, faults }] : []),
  ]);

  test.each(cases)(
    'after the store failure "$name" a $way answer is complete, and the meter settles it once',
    async ({ way, done, faults }) => {
      const stream = way === "streamed";
      put(call, faults);
      const made = await exchange(account, stream);
      expectWhole(made, stream);
      expect(sum(struck())).toBeGreaterThan(1);
      // A settlement that took effect leaves nothing to do; everything else waits for the meter.
      const { spending } = await accountingOf(stack, account);
      expect(spending.inflight).toBe(call === "settlement" && done ? 0 : 1);
      stack.faults.clear();
      await accounted(stack);
      await expectBalanced();
      await accounted(stack);
    },
  );
});

describe("a refusal of the model host", () => {
  test("a refusal of the model host is passed on even if its reservation cannot be released, and the meter releases it", async () => {
    stack.faults.put([{ ...callOf("settlement", account), kind: "error", when: "before", ...down }]);
    stack.bedrock.fail({ error: "ThrottlingException" });
    const made = await exchange(account);
    expect([made.response.status, made.row]).toEqual([503, undefined]);
    expect((await accountingOf(stack, account)).spending).toMatchObject({ inflight: 1 });
    stack.faults.clear();
    await accounted(stack);
  });
});

describe("at a cold start", () => {
  const reads: [string, FaultInput][] = [
    ["key", { service: "dynamodb", operation: "GetItem", match: '"KEY#', kind: "error", when: "before" }],
    ["tenant", { service: "dynamodb", operation: "Query", match: "SLUG#acme", kind: "error", when: "before" }],
    ["grant", { service: "dynamodb", operation: "GetItem", match: '"GRANT#', kind: "error", when: "before" }],
  ];

  let developer: Account;

  beforeAll(async () => {
    const { developer: person } = stack.demo as Demo;
    developer = { key: await helperToken(stack, person), callerId: person.sub, openedAt: account.openedAt };
    accounts.push(developer);
  });
  beforeEach(() => stack.functions.byName("proxy-local").kill());

  /** A person's grant is a record of its own, a service account's is its key's. */
  const callerOf = (read: string) => (read === "grant" ? developer : account);

  test.each(few(1, reads))("a failed read of the %s is tried again", async (read, fault) => {
    const caller = callerOf(read);
    stack.faults.put([{ ...fault, kind: "cut" }]);
    expectWhole(await exchange(caller), true);
    expect(struck()).toEqual([1]);
  });

  test.each(few(1, reads))(
    "a read of the %s that fails at every attempt is answered with 503, and the call leaves nothing behind",
    async (read, fault) => {
      const caller = callerOf(read);
      stack.faults.put([{ ...fault, ...down }]);
      expectFailure(await exchange(caller), unavailable);
      expect(struck()[0]).toBeGreaterThan(1);
      stack.faults.clear();
      expectWhole(await exchange(caller), true);
    },
  );
});

describe("the token service", () => {
  longTest(
    "a call to the token service that hangs is given up with 503 and nothing reserved, and the next call tries again",
    async () => {
      stack.faults.put([{ service: "sts", operation: "AssumeRole", when: "before", kind: "hang", times: 1_000 }]);
      const another = await open();
      const made = await exchange(another);
      expectFailure(made, { status: 503, type: "overloaded_error", code: "upstream_overloaded", retryAfter: "5" });
      expect([made.call, made.row]).toEqual([undefined, undefined]);
      await expectClosed(stack, another);
      stack.faults.clear();
      expect((await exchange(another)).response.status).toBe(200);
    },
  );

  const failed: Failure = { status: 502, type: "api_error", code: "upstream_failed" };
  const overloaded: Failure = { status: 503, type: "overloaded_error", code: "upstream_overloaded", retryAfter: "5" };
  const assumeRole = { service: "sts", operation: "AssumeRole", when: "before" } as const;

  // Sessions are kept by the instance.
  beforeEach(() => stack.functions.byName("proxy-local").kill());

  const refusals: [string, FaultInput, Failure][] = [
    ["denied", { ...assumeRole, kind: "error", code: "AccessDenied", status: 403 }, failed],
    ["cut off", { ...assumeRole, kind: "cut" }, overloaded],
    ["throttled", { ...assumeRole, kind: "throttle" }, overloaded],
    ["failed", { ...assumeRole, kind: "error" }, overloaded],
  ];

  test.each(few(2, refusals))(
    "the refusal %s of the token service costs nothing, and the next call tries again",
    async (_name, fault, failure) => {
      stack.faults.put([{ ...fault, ...down }]);
      const made = await exchange(account);
      expectFailure(made, failure);
      expect([made.call, made.row]).toEqual([undefined, undefined]);
      expect((await accountingOf(stack, account)).spending).toMatchObject({ inflight: 0, reservations: [] });
      stack.faults.clear();
      expectWhole(await exchange(account), true);
    },
  );

  test.each(few(1, ["throttle", "error", "cut"] as const))(
    "a call to the token service that fails once with %s is tried again",
    async (kind) => {
      stack.faults.put([{ ...assumeRole, kind }]);
      expectWhole(await exchange(account), true);
      expect(struck()).toEqual([1]);
    },
  );
});

test("a store that hangs is given up and tried again", async () => {
  const callers = [await open(), await open(), await open()] as const;
  stack.faults.put([
    { ...callOf("admission", callers[0]), kind: "hang", when: "before" },
    { ...callOf("ledger", callers[1]), kind: "hang", when: "before" },
    { ...callOf("settlement", callers[2]), kind: "hang", when: "after" },
  ]);
  const made = await Promise.all(callers.map((caller) => exchange(caller)));
  expect(struck()).toEqual([1, 1, 1]);
  expect(made.map(({ response }) => response.status)).toEqual([200, 200, 200]);
});

test("many simultaneous calls with faults everywhere leave the accounting consistent", async () => {
  const callers = [account, await open(), await open()];
  const waves = isLong ? 6 : 3;
  stack.faults.put(
    ["UpdateItem", "PutItem"].flatMap((operation) =>
      kinds.flatMap(([, fault], index) =>
        [1, 2, 3].map((round) => ({ service: "dynamodb", operation, ...fault, nth: round * 7 + index, times: round })),
      ),
    ),
  );
  const statuses: number[] = [];
  for (let wave = 0; wave < waves; wave++) {
    const made = await Promise.all([...callers, ...callers].map((caller) => exchange(caller)));
    statuses.push(...made.map(({ response }) => response.status));
  }
  expect(sum(struck())).toBeGreaterThan(5 * waves);
  for (const status of statuses) expect([200, 503]).toContain(status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(statuses.length / 2);
  stack.faults.clear();
  await accounted(stack);
});

describe("long after the reservation has expired", () => {
  const afterExpiry = 20 * 60_000;

  test("usage that waits in the queue is settled as it was counted, and not at the reserved cost", async () => {
    put("ledger", [{ kind: "error", when: "before", ...down }]);
    expectWhole(await exchange(account), true);
    stack.faults.clear();
    stack.clock.advance(afterExpiry);
    await accounted(stack);
  });

  test("a call whose function died after its ledger row is settled by that row", async () => {
    put("settlement", [{ kind: "hang", when: "before", ...down }]);
    const response = await ask(stack, {}, { key: account.key });
    while (sum(struck()) === 0) await sleep(1);
    await stack.functions.byName("proxy-local").kill();
    await response.text().catch(() => {});
    expect((await accountingOf(stack, account)).spending).toMatchObject({ inflight: 1 });
    stack.faults.clear();
    stack.clock.advance(afterExpiry);
    await accounted(stack);
  });
});
