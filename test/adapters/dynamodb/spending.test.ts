import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import { spendingStore } from "../../../adapters/dynamodb/spending.ts";
import { limitRefusal } from "../../../domain/spending/budget.ts";
import { microsOf } from "../../../domain/spending/rate-limit.ts";
import type { Reservation } from "../../../domain/spending/reservation.ts";
import type { AdmissionWrite, Limits, SpendingKey } from "../../../domain/spending/spending.ts";
import { admissionRuns } from "../../support/admission-runs.ts";
import { aCaller, admissionOver, aGrant, asking, aTenant, costing } from "../../support/admissions.ts";
import { FakeTime } from "../../support/fake-time.ts";
import { MemoryAccounting, sound, soundness } from "../../support/memory-accounting.ts";
import { accountingOf, openTableAccounting, type TableAccounting, tableName } from "../../support/table-accounting.ts";

let table: TableAccounting;
beforeAll(async () => {
  table = await openTableAccounting();
});
beforeEach(() => {
  table.time.clock = () => now;
});
afterEach(() => table.strike());
afterAll(() => table.close());

const now = Date.parse("2026-11-21T05:00:00Z");
const nowMicros = microsOf(now);
let keysMade = 0;
/** A caller nobody has met. */
const newKey = (): SpendingKey => ({ tenantId: `tenant-${++keysMade}`, callerId: "dev", month: "2026-11" });

function limits(changes: Partial<Limits> = {}): Limits {
  return { cap: 100, enforcement: "reserved", maxInFlight: 4, rate: { burst: 3, perMinute: 60 }, ...changes };
}
function reservation(requestId: string, changes: Partial<Reservation> = {}): Reservation {
  return {
    requestId,
    reservedCost: 10,
    bounds: { input: 40, output: 3 },
    admittedAt: now,
    expiresAt: now + 960_000,
    model: "claude-sonnet-5",
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    ...changes,
  };
}
function write(key: SpendingKey, requestId: string, changes: Partial<AdmissionWrite> = {}): AdmissionWrite {
  return {
    key,
    limits: limits(),
    reservation: reservation(requestId),
    nowMicros,
    ...changes,
  };
}
const fresh = (requestId: string) => write(newKey(), requestId);

describe("an admission", () => {
  test("of a new caller starts the item, with the reservation as it was asked for", async () => {
    const { key, ...rest } = fresh("r1");
    const { admitted, spending, credit } = await table.spending.admit({ key, ...rest });
    expect({ admitted, credit }).toEqual({ admitted: true, credit: undefined });
    expect(spending).toEqual({
      spent: 0,
      committed: 10,
      inflight: 1,
      tat: nowMicros + 1_000_000,
      reservations: [reservation("r1")],
    });
    expect(await table.of(key)).toEqual(spending);
    expect((await table.itemOf(key))?.expires_at).toBeGreaterThan(now / 1000 + 24 * 30 * 24 * 3600);
  });

  test("that is refused changes nothing and tells the state that refused it", async () => {
    const key = newKey();
    await table.spending.admit(write(key, "r1", { limits: limits({ maxInFlight: 1 }) }));
    const before = await table.itemOf(key);
    const refused = await table.spending.admit(write(key, "r2", { limits: limits({ maxInFlight: 1 }) }));
    expect(refused).toMatchObject({ admitted: false, spending: { inflight: 1, committed: 10 } });
    expect(await table.itemOf(key)).toEqual(before);
  });

  test("under a budget of nothing is refused from the beginning", async () => {
    const refused = await table.spending.admit(write(newKey(), "r1", { limits: limits({ cap: 0 }) }));
    expect(refused.admitted).toBe(false);
  });

  test("without a reservation moves the rate limit alone", async () => {
    const key = newKey();
    await table.spending.admit(write(key, "", { reservation: undefined }));
    expect(await table.of(key)).toEqual({
      spent: 0,
      committed: 0,
      inflight: 0,
      tat: nowMicros + 1_000_000,
      reservations: [],
    });
  });
});

test("the store admits exactly where the rules do not refuse", async () => {
  const money = fc.integer({ min: 0, max: 30 });
  const states = fc.record({
    spent: money,
    reserved: fc.array(money, { maxLength: 4 }),
    settled: fc.boolean(),
    tat: fc.integer({ min: -4, max: 4 }),
  });
  const asked = fc.record({
    cap: fc.option(money, { nil: undefined }),
    enforcement: fc.constantFrom("reserved" as const, "spent" as const),
    maxInFlight: fc.integer({ min: 1, max: 4 }),
    burst: fc.integer({ min: 1, max: 4 }),
    reservedCost: fc.option(money, { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(states, asked, async ({ spent, reserved, settled, tat }, asked) => {
      const key = newKey();
      // An item that settled nothing has no `spent` yet.
      const spentNow = settled ? spent : 0;
      const reservations = reserved.map((reservedCost, index) => reservation(`old-${index}`, { reservedCost }));
      const committed = spentNow + reserved.reduce((sum, each) => sum + each, 0);
      const state = {
        spent: spentNow,
        committed,
        inflight: reserved.length,
        tat: nowMicros + tat * 1_000_000,
        reservations,
      };
      await table.put({
        ...keys.spending(key.tenantId, key.callerId, key.month),
        tat: state.tat,
        ...(settled && { spent: spentNow }),
        ...((settled || reserved.length > 0) && { committed, inflight: reserved.length }),
        ...Object.fromEntries(reservations.map(({ requestId, ...rest }) => [`r#${requestId}`, rest])),
      });
      const { reservedCost, burst, ...rest } = asked;
      const its = limits({ ...rest, rate: { burst, perMinute: 60 } });
      const refusal = limitRefusal(state, its, { reservedCost, nowMicros, resetsAt: 0, credit: undefined });
      const { admitted } = await table.patient.admit({
        key,
        limits: its,
        reservation: reservedCost === undefined ? undefined : reservation("new", { reservedCost }),
        nowMicros,
      });
      expect(admitted).toBe(refusal === undefined);
    }),
    { numRuns: 200 },
  );
});

test("the same lives lead to the same accounting, in the table and in memory", async () => {
  await fc.assert(
    fc.asyncProperty(admissionRuns, async (run) => {
      await run((time) => {
        table.time.clock = time.clock;
        return accountingOf(table);
      });
      await run(() => new MemoryAccounting());
    }),
    { numRuns: 25 },
  );
});

describe("when the answer is lost after the effect", () => {
  test("an admission that is sent again is found admitted, once", async () => {
    const { key, ...rest } = fresh("r1");
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    const { admitted, spending } = await table.spending.admit({ key, ...rest });
    expect(admitted).toBe(true);
    expect(spending).toMatchObject({ committed: 10, inflight: 1, tat: nowMicros + 1_000_000 });
    expect(await table.of(key)).toEqual(spending);
  });

  test("a settlement that is sent again counts once", async () => {
    const { key, ...rest } = fresh("r1");
    await table.spending.admit({ key, ...rest });
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    await table.spending.settle({ key, reservation: reservation("r1"), cost: 4, tokens: 1 });
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0, reservations: [] });
  });

  test("for good, the caller hears of an outage", async () => {
    const { key, ...rest } = fresh("r1");
    table.strike(
      { operation: "UpdateItem", when: "after", kind: "cut" },
      { operation: "UpdateItem", when: "before", kind: "cut", nth: 2, times: 9 },
    );
    await expect(table.spending.admit({ key, ...rest })).rejects.toMatchObject({ code: "store_unavailable" });
    expect((await table.of(key)).inflight).toBe(1);
  });

  test("a call without a reservation takes two turns at the most, and no money", async () => {
    const key = newKey();
    table.strike({ operation: "UpdateItem", when: "after", kind: "cut" });
    const asked = write(key, "", { reservation: undefined });
    expect((await table.spending.admit(asked)).admitted).toBe(true);
    expect(await table.of(key)).toMatchObject({ spent: 0, committed: 0, tat: nowMicros + 2_000_000 });
  });
});

describe.each(["throttle", "conflict"] as const)("a %s", (kind) => {
  test("is outlasted by admission and settlement", async () => {
    const { key, ...rest } = fresh("r1");
    table.strike({ operation: "UpdateItem", when: "before", kind, times: 2 });
    expect((await table.spending.admit({ key, ...rest })).admitted).toBe(true);
    table.strike({ operation: "UpdateItem", when: "before", kind, times: 2 });
    await table.spending.settle({ key, reservation: reservation("r1"), cost: 4, tokens: 1 });
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0 });
  });

  test("that does not end is an outage, without an effect", async () => {
    const { key, ...rest } = fresh("r1");
    table.strike({ operation: "UpdateItem", when: "before", kind, times: 99 });
    await expect(table.spending.admit({ key, ...rest })).rejects.toMatchObject({ code: "store_unavailable" });
    table.strike();
    expect(await table.itemOf(key)).toBeUndefined();
  });
});

describe("a settlement", () => {
  test("counts once, however often it is repeated and whatever a later one says", async () => {
    const { key, ...rest } = fresh("r1");
    await table.spending.admit({ key, ...rest });
    for (const cost of [4, 4, 9]) await table.spending.settle({ key, reservation: reservation("r1"), cost, tokens: 1 });
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0 });
  });

  test("of nothing releases the reservation", async () => {
    const { key, ...rest } = fresh("r1");
    await table.spending.admit({ key, ...rest });
    await table.spending.settle({ key, reservation: reservation("r1"), cost: 0, tokens: 0 });
    expect(await table.of(key)).toMatchObject({ spent: 0, committed: 0, inflight: 0, reservations: [] });
  });

  test("above its reserved cost is counted in full", async () => {
    const { key, ...rest } = fresh("r1");
    await table.spending.admit({ key, ...rest });
    await table.spending.settle({ key, reservation: reservation("r1"), cost: 500, tokens: 1 });
    expect(await table.of(key)).toMatchObject({ spent: 500, committed: 500, inflight: 0 });
  });

  test("leaves other reservations as they are", async () => {
    const { key, ...rest } = fresh("r1");
    await table.spending.admit({ key, ...rest });
    await table.spending.admit(write(key, "r2"));
    await table.spending.settle({ key, reservation: reservation("r1"), cost: 3, tokens: 1 });
    expect(await table.of(key)).toMatchObject({ spent: 3, committed: 13, reservations: [reservation("r2")] });
  });

  test("of a request that nobody admitted makes no item", async () => {
    const key = newKey();
    await table.spending.settle({ key, reservation: reservation("r1"), cost: 3, tokens: 1 });
    expect(await table.itemOf(key)).toBeUndefined();
  });
});

describe("many at once", () => {
  test("sixty requests under one cap overshoot it by one request at the most", async () => {
    const time = new FakeTime();
    const tenant = aTenant({ tenant_id: newKey().tenantId });
    const caller = aCaller({ tenant, grant: aGrant({ monthly_budget_usd: 0.2 }) });
    const cost = 50_000_000;
    // As many instances: none knows what the others have seen.
    const { makeAdmission, settlements } = admissionOver(accountingOf(table), time);
    const tries = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        makeAdmission(table.newInstance()).admit(caller, asking(`burst-${index}`, time, { reservedCost: cost })),
      ),
    );
    const admitted = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    for (const each of admitted) await settlements.settle(each, costing(cost));
    const [first] = admitted;
    if (!first) throw new Error("nobody was admitted");
    const state = await table.of(first.key);
    expect(soundness(state)).toEqual(sound);
    expect(state.spent).toBe(admitted.length * cost);
    expect(state.spent).toBeLessThanOrEqual(200_000_000 + cost);
    const codes = tries.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    expect(codes.filter((code) => !["budget_reserved", "rate_limited"].includes(code))).toEqual([]);
  });

  test("a bucket of n admits n", async () => {
    const time = new FakeTime();
    const tenant = aTenant({ tenant_id: newKey().tenantId });
    const caller = aCaller({ tenant, grant: aGrant({ rate_limit: { burst: 7, per_minute: 1 } }) });
    const { makeAdmission } = admissionOver(accountingOf(table), time);
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        makeAdmission(table.newInstance()).admit(caller, asking(`rate-${index}`, time)),
      ),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
  });
});

test("a thousand reservations, the most that a grant allows, fit into one item", async () => {
  const key = newKey();
  const long = reservation("", {
    reservedCost: 9_000_000_000_000_000,
    bounds: { input: 1_000_000_000, output: 1_000_000_000 },
    model: "m".repeat(40),
    profile: `global.anthropic.${"m".repeat(50)}`,
    creditTokens: 2_000_000_000,
  });
  const { requestId: _requestId, ...stored } = long;
  const ids = Array.from({ length: 999 }, (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`);
  await table.put({
    ...keys.spending(key.tenantId, key.callerId, key.month),
    committed: 999,
    inflight: 999,
    tat: 0,
    ...Object.fromEntries(ids.map((id) => [`r#${id}`, stored])),
  });
  const last = { ...long, requestId: "00000000-0000-4000-8000-999999999999", creditTokens: undefined };
  const wide = limits({ cap: undefined, maxInFlight: 1_000 });
  const { admitted } = await table.spending.admit(write(key, last.requestId, { limits: wide, reservation: last }));
  expect(admitted).toBe(true);
  expect((await table.of(key)).reservations).toHaveLength(1_000);
});

describe("on free credit", () => {
  const drawing = (key: SpendingKey, requestId: string, creditTokens: number, changes: Partial<AdmissionWrite> = {}) =>
    write(key, requestId, { reservation: reservation(requestId, { creditTokens }), ...changes });

  async function granted(changes: Record<string, unknown> = {}): Promise<SpendingKey> {
    const key = newKey();
    await table.grant(key.tenantId, changes);
    return key;
  }

  test("an admission draws on the caller's item and the tenant's credit together", async () => {
    const key = await granted();
    expect(await table.spending.admit(drawing(key, "r1", 9_000))).toMatchObject({
      admitted: true,
      spending: { committed: 10, inflight: 1 },
      credit: { granted: 10_000, spent: 0, committed: 9_000 },
    });
  });

  test("neither is drawn on if either refuses", async () => {
    const key = await granted();
    await table.spending.admit(drawing(key, "r1", 9_000));
    const before = [await table.of(key), await table.creditOf(key.tenantId)];
    const noCredit = drawing(key, "r2", 5_000);
    expect((await table.spending.admit(noCredit)).admitted).toBe(false);
    const noRoom = drawing(key, "r2", 1, { limits: limits({ maxInFlight: 1 }) });
    expect((await table.spending.admit(noRoom)).admitted).toBe(false);
    expect([await table.of(key), await table.creditOf(key.tenantId)]).toEqual(before);
  });

  test("who is alone may go over once; then it is used up for every caller", async () => {
    const key = await granted();
    await table.spending.admit(drawing(key, "r1", 50_000));
    await table.spending.settle({
      key,
      reservation: reservation("r1", { creditTokens: 50_000 }),
      cost: 4,
      tokens: 12_000,
    });
    expect(await table.creditOf(key.tenantId)).toEqual({ granted: 10_000, spent: 12_000, committed: 12_000 });
    const other = { ...key, callerId: "another" };
    expect(await table.spending.admit(drawing(other, "r2", 1))).toMatchObject({
      admitted: false,
      credit: { granted: 10_000, spent: 12_000 },
    });
    expect(await table.itemOf(other)).toBeUndefined();
  });

  test("another caller's reservations count, and are released by their settlement", async () => {
    const key = await granted();
    const other = { ...key, callerId: "another" };
    await table.spending.admit(drawing(other, "r1", 9_000));
    expect((await table.spending.admit(drawing(key, "r2", 2_000))).admitted).toBe(false);
    await table.spending.settle({
      key: other,
      reservation: reservation("r1", { creditTokens: 9_000 }),
      cost: 1,
      tokens: 100,
    });
    expect((await table.spending.admit(drawing(key, "r2", 2_000))).admitted).toBe(true);
  });

  test("a call that reserves nothing draws nothing, and needs that some is left", async () => {
    const key = await granted();
    const counting = { reservation: undefined, needsCredit: true };
    await table.spending.admit(drawing(key, "r1", 10_001));
    expect(await table.spending.admit(write(key, "", counting))).toMatchObject({
      admitted: true,
      credit: { spent: 0, committed: 10_001 },
    });
    await table.spending.settle({
      key,
      reservation: reservation("r1", { creditTokens: 10_001 }),
      cost: 0,
      tokens: 10_000,
    });
    const before = await table.of(key);
    expect(await table.spending.admit(write(key, "", counting))).toMatchObject({
      admitted: false,
      credit: { granted: 10_000, spent: 10_000 },
    });
    expect(await table.of(key)).toEqual(before);
  });

  test("a tenant without a credit item has none", async () => {
    expect(await table.spending.admit(drawing(newKey(), "r1", 1))).toMatchObject({
      admitted: false,
      credit: { granted: 0, spent: 0, committed: 0 },
    });
    const counting = write(newKey(), "", { reservation: undefined, needsCredit: true });
    expect(await table.spending.admit(counting)).toMatchObject({ admitted: false, credit: { granted: 0 } });
  });

  test("a lost answer is found admitted, once", async () => {
    const key = await granted();
    table.strike({ operation: "TransactWriteItems", when: "after", kind: "cut" });
    expect(await table.spending.admit(drawing(key, "r1", 9_000))).toMatchObject({
      admitted: true,
      spending: { committed: 10, inflight: 1 },
      credit: { committed: 9_000 },
    });
  });

  test("a conflict is outlasted", async () => {
    const key = await granted();
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "conflict", times: 2 });
    expect((await table.spending.admit(drawing(key, "r1", 9_000))).admitted).toBe(true);
  });

  test("a conflict that does not end is no outage: it is told as the state that others made", async () => {
    const key = await granted();
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "conflict", times: 99 });
    expect(await table.spending.admit(drawing(key, "r1", 9_000))).toMatchObject({
      admitted: false,
      spending: { committed: 0, inflight: 0 },
      credit: { committed: 0 },
    });
    table.strike();
    expect((await table.spending.admit(drawing(key, "r1", 9_000))).admitted).toBe(true);
  });

  test("a throttle that does not end is an outage", async () => {
    const key = await granted();
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "throttle", times: 99 });
    await expect(table.spending.admit(drawing(key, "r1", 1))).rejects.toMatchObject({ code: "store_unavailable" });
    table.strike();
  });

  test("what is neither condition nor conflict is no refusal", async () => {
    const key = await granted();
    table.strike({ operation: "TransactWriteItems", when: "before", kind: "error", code: "ValidationException" });
    await expect(table.spending.admit(drawing(key, "r1", 1))).rejects.toMatchObject({ name: "ValidationException" });
  });

  test("a settlement that dies between the two items is completed by its repetition, and nothing counts twice", async () => {
    const key = await granted();
    await table.spending.admit(drawing(key, "r1", 9_000));
    const settlement = { key, reservation: reservation("r1", { creditTokens: 9_000 }), cost: 4, tokens: 100 };
    table.strike({ operation: "UpdateItem", when: "before", kind: "cut", nth: 2, times: 9 });
    await expect(table.spending.settle(settlement)).rejects.toMatchObject({ code: "store_unavailable" });
    table.strike();
    expect(await table.creditOf(key.tenantId)).toMatchObject({ spent: 100, committed: 100 });
    expect((await table.of(key)).reservations).toHaveLength(1);
    await table.spending.settle(settlement);
    await table.spending.settle(settlement);
    expect(await table.creditOf(key.tenantId)).toMatchObject({ spent: 100, committed: 100 });
    expect(await table.of(key)).toMatchObject({ spent: 4, committed: 4, inflight: 0 });
  });

  test("many at once never reserve more than there is, but for one who was alone", async () => {
    const time = new FakeTime();
    const { tenantId } = await granted();
    const tenant = aTenant({ tenant_id: tenantId, has_payment_method: false });
    const { makeAdmission, settlements } = admissionOver(accountingOf(table), time);
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        makeAdmission(table.newInstance()).admit(
          aCaller({ tenant, callerId: `caller-${index % 4}` }),
          asking(`credit-${index}`, time, { bounds: { input: 2_000, output: 1_000 } }),
        ),
      ),
    );
    const admitted = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(admitted.length).toBeGreaterThanOrEqual(1);
    expect(admitted.length).toBeLessThanOrEqual(3);
    expect((await table.creditOf(tenantId)).committed).toBe(admitted.length * 3_000);
    for (const each of admitted) await settlements.settle(each, costing(1, 3_000));
    expect(await table.creditOf(tenantId)).toMatchObject({
      spent: admitted.length * 3_000,
      committed: admitted.length * 3_000,
    });
  });
});

describe("a caller's row of the month", () => {
  const rowOf = ({ tenantId, callerId, month }: SpendingKey) =>
    table.read(keys.activeCaller(tenantId, callerId, month));

  test("is written before its first admission, and not again by the same instance", async () => {
    const { key, ...rest } = fresh("r1");
    table.calls.length = 0;
    await table.spending.admit({ key, ...rest });
    expect(table.calls).toEqual(["PutItem", "UpdateItem"]);
    expect(await rowOf(key)).toMatchObject({
      tenant_id: key.tenantId,
      caller_id: key.callerId,
      expires_at: expect.any(Number),
    });
    table.calls.length = 0;
    await table.spending.admit(write(key, "r2", { nowMicros: nowMicros + 2_000_000 }));
    expect(table.calls).toEqual(["UpdateItem"]);
  });

  test("stands before any reservation: without it nothing is reserved", async () => {
    const { key, ...rest } = fresh("r1");
    table.strike({ operation: "PutItem", when: "before", kind: "cut", times: 9 });
    await expect(table.spending.admit({ key, ...rest })).rejects.toMatchObject({ code: "store_unavailable" });
    table.strike();
    expect(await table.itemOf(key)).toBeUndefined();
    expect((await table.spending.admit({ key, ...rest })).admitted).toBe(true);
    expect(await rowOf(key)).toBeDefined();
  });
});

describe("instances that know nothing of each other", () => {
  test("guess the bucket's state and correct themselves, within one admission", async () => {
    const { key, ...rest } = fresh("r0");
    for (const id of ["r1", "r2", "r3"]) {
      const { admitted } = await table.newInstance().admit({ key, ...rest, reservation: reservation(id) });
      expect(admitted).toBe(true);
    }
    const last = await table.newInstance().admit({ key, ...rest, reservation: reservation("r4") });
    expect(last).toMatchObject({ admitted: false, spending: { inflight: 3, tat: nowMicros + 3_000_000 } });
  });

  test("correct a memory that the bucket has outlived", async () => {
    const { key, ...rest } = fresh("r1");
    await table.spending.admit({ key, ...rest });
    const later = write(key, "r2", { nowMicros: nowMicros + 5_000_000 });
    expect(await table.spending.admit(later)).toMatchObject({
      admitted: true,
      spending: { tat: nowMicros + 6_000_000 },
    });
  });

  test("admit one whose every guess others turn wrong, as long as the bucket has room", async () => {
    const rate = { burst: 100, perMinute: 600_000 };
    const time = new FakeTime(now);
    table.time.clock = time.clock;
    const key = newKey();
    // Each write finds the bucket in the other state, and the store takes five milliseconds.
    const store = spendingStore(
      turning(async (form) => {
        await time.advance(5);
        const { tenantId, callerId, month } = key;
        const tat = microsOf(time.clock()) + (form === "idle" ? 1_000 : -6_000);
        await table.put({ ...keys.spending(tenantId, callerId, month), ...(await table.itemOf(key)), tat });
      }),
      tableName,
      time.clock,
    );
    const asked = write(key, "r1", { limits: limits({ rate }), nowMicros: microsOf(time.clock()) });
    const { admitted, spending } = await store.admit(asked);
    expect(admitted).toBe(true);
    // It costs a little of the bucket, never more than there is.
    expect(spending.tat).toBeLessThan(microsOf(time.clock()) + 100 * 100);
  });

  test("admit one whose write took so long that another call was admitted meanwhile", async () => {
    const rate = { burst: 10, perMinute: 6_000 };
    const time = new FakeTime(now);
    table.time.clock = time.clock;
    const key = newKey();
    const asked = (id: string) =>
      write(key, id, { reservation: reservation(id), limits: limits({ rate }), nowMicros: microsOf(time.clock()) });
    let slow = true;
    const store = spendingStore(
      turning(async () => {
        if (!slow) return;
        slow = false;
        await time.advance(900);
        await table.newInstance().admit(asked("r2"));
      }),
      tableName,
      time.clock,
    );
    expect(await store.admit(asked("r1"))).toMatchObject({ admitted: true, spending: { inflight: 2 } });
  });
});

/** The client, with something that happens before each update: told by the form in which the rate is asked for. */
function turning(happen: (form: "idle" | "busy") => Promise<void>): DynamoDBDocumentClient {
  const { document } = table;
  const send = async (command: { input: { UpdateExpression?: string } }) => {
    const { UpdateExpression } = command.input;
    if (UpdateExpression !== undefined) await happen(UpdateExpression.includes("tat = :next") ? "idle" : "busy");
    return document.send(command as never);
  };
  return new Proxy(document, { get: (target, name) => (name === "send" ? send : Reflect.get(target, name, target)) });
}
