// Budget, credit, allowance, rate and calls in flight are rules of domain/budget and conditions of the store. Over random states both say
// the same: what the rules allow the condition takes, and what they refuse it refuses.
import { beforeEach, expect, test } from "@jest/globals";
import fc from "fast-check";
import { creditRecord } from "../../../../adapters/dynamodb/budget/credit.record.ts";
import { creditAdmission } from "../../../../adapters/dynamodb/budget/credit-expressions.ts";
import { spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import { admission } from "../../../../adapters/dynamodb/budget/spending-expressions.ts";
import { shortId, stored } from "../../../../adapters/dynamodb/budget/stored-reservation.ts";
import type { Change } from "../../../../adapters/dynamodb/write.ts";
import { admitToBudget } from "../../../../domain/budget/admit.ts";
import { writeOf } from "../../../../domain/budget/attempt.ts";
import { allHold, isNew } from "../../../../domain/budget/guard.ts";
import { type AdmissionRequest, creditGuards } from "../../../../domain/budget/plan.ts";
import { microsOf } from "../../../../domain/budget/rate-limit.ts";
import { isTicket, type Reservation } from "../../../../domain/budget/reservation.ts";
import type { AdmissionWrite, Limits, SpendingState } from "../../../../domain/budget/spending.ts";
import { MemoryAccounting } from "../../../support/accounting/memory-accounting.ts";
import { aReservation } from "../../../support/accounting/spending-table.ts";
import { FakeTime } from "../../../support/fake-time.ts";
import { condition } from "../../../support/memory-dynamodb/condition.ts";
import type { Item } from "../../../support/memory-dynamodb/tokens.ts";

const key = { tenantId: "acme", callerId: "dev", month: "2026-11" };
const numRuns = 2_000;
let time: FakeTime;
let accounting: MemoryAccounting;
beforeEach(() => {
  time = new FakeTime();
  accounting = new MemoryAccounting(time.clock);
});

const money = fc.integer({ min: 0, max: 60 });
const second = 1_000_000;
const situations = fc.record({
  /** An item in which nobody was admitted yet, only tokens counted, has neither spending nor reservations. */
  isNew: fc.boolean(),
  spent: money,
  reserved: fc.array(money, { maxLength: 3 }),
  overdraft: fc.option(money, { nil: undefined }),
  tatSeconds: fc.integer({ min: -3, max: 9 }),
  tatRate: fc.constantFrom("2/60", "2/60", "9/60"),
  credit: fc.option(
    fc.record({ granted: fc.constantFrom(50, 100, 300), spent: money, reserved: fc.integer({ min: 0, max: 250 }) }),
    { nil: undefined },
  ),
  /** The caller's slices of an owner's allowance; who spends free credit has none. */
  slices: fc.option(fc.integer({ min: 0, max: 200 }), { nil: undefined }),
  /** The sum in a window of the caller's item, and its cap. */
  window: fc.option(fc.record({ sum: money, cap: money }), { nil: undefined, freq: 2 }),
  cap: fc.option(money, { nil: undefined }),
  /** The cap lies so much above what is committed, instead. */
  margin: fc.option(fc.integer({ min: -1, max: 1 }), { nil: undefined }),
  enforcement: fc.constantFrom("reserved" as const, "reserved" as const, "spent" as const),
  maxInFlight: fc.integer({ min: 1, max: 4 }),
  maxTokens: fc.integer({ min: 1, max: 40 }),
  input: fc.integer({ min: 1, max: 120 }),
  pricePerToken: fc.integer({ min: 1, max: 3 }),
});
type Situation = typeof situations extends fc.Arbitrary<infer T> ? T : never;

/** Puts the situation into the table and gives it back as the store reads it. */
async function stage(each: Situation): Promise<SpendingState> {
  const { isNew, spent, reserved, overdraft, tatSeconds, tatRate, credit } = each;
  const holder = overdraft === undefined ? [] : [aReservation("holder", { amount: overdraft, overdraft: true })];
  const others = [...reserved.map((amount, index) => aReservation(`o${index}`, { amount })), ...holder];
  const at = time.clock();
  const attributes = Object.fromEntries(
    others.map((other) => [`r#${shortId(other.requestId)}`, stored({ ...other, leaseEndsAt: at + 80_000 })]),
  );
  const { tenantId, callerId, month } = key;
  const bucket = { tat: microsOf(at) + tatSeconds * second, tat_rate: tatRate };
  accounting.table.put({
    ...spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }),
    ...bucket,
    ...(isLimited(each) && { allowance: each.slices, allowance_of: "owner" }),
    ...(each.window && { "w#d21": each.window.sum }),
    ...(!isNew && {
      ...{ spent, committed: reserved.reduce((sum, one) => sum + one, spent), inflight: others.length, ...attributes },
      ...(overdraft !== undefined && { overdraft: shortId("holder") }),
    }),
  });
  if (credit) {
    const { granted, spent, reserved } = credit;
    accounting.grant(tenantId, { granted_tokens: granted, spent, committed: spent + reserved });
  }
  return accounting.spending.read(key, { onCredit: credit !== undefined });
}

const isLimited = ({ slices, credit }: Situation) => slices !== undefined && credit === undefined;

function limitsOf({ spent, reserved, margin, enforcement, maxInFlight, ...each }: Situation): Limits {
  const committed = reserved.reduce((sum, one) => sum + one, spent);
  const cap = margin === undefined ? each.cap : Math.max(0, committed + margin);
  const windows = each.window && [{ name: "d21", cap: each.window.cap, title: "today's budget", resetsAt: 0 }];
  return { cap, enforcement, maxInFlight, rate: { burst: 2, perMinute: 60 }, windows };
}

function requestOf({ maxTokens, input, pricePerToken }: Situation): AdmissionRequest {
  const boundsAt = (output: number) => ({ input, output });
  const costAt = (output: number) => 4 + output * pricePerToken;
  const place = { profile: "eu.anthropic.claude-sonnet-5", region: "eu-central-1" };
  return { requestId: "new", ...place, maxTokens, thinkingTokens: 0, boundsAt, costAt };
}

type Decided = { kind: string; write?: AdmissionWrite };

/** The first act of domain/budget in this state: with limits that are fresh, as before each refusal. */
async function decided(each: Situation, state: SpendingState, request: AdmissionRequest | undefined): Promise<Decided> {
  let first: Decided | undefined;
  const note = (kind: string) => async (write?: unknown) => {
    first ??= { kind, ...(kind === "admit" && { write: write as AdmissionWrite }) };
    throw new Error("decided");
  };
  const unused = async () => {};
  const deps = {
    spending: { lastSeen: () => state, read: async () => state, admit: note("admit"), draw: note("draw") },
    reclaim: { spending: note("reclaim"), credit: note("reclaim") },
    idleSlices: { takeBack: note("take back") },
    waitingRoom: { enter: note("wait"), leave: unused },
    ...{ release: unused, giveUp: unused, pause: note("busy"), jitter: () => 1, clock: time.clock },
  };
  const limits = limitsOf(each);
  const allowance = isLimited(each) ? { ownerSub: "owner", trialCap: 1_000 } : undefined;
  const context = { key, limits, freshLimits: async () => limits, onCredit: each.credit !== undefined, allowance };
  const times = { admittedAt: time.clock(), resetsAt: 0 };
  const refused = await admitToBudget(deps, { ...context, ...times }, request).catch((error) => error);
  return first ?? { kind: refused.code === "budget_reserved" ? "wait" : "refuse" };
}

/** Whether the guards of an admission's write hold for what is stored: as they are evaluated and as they are compiled. */
function isTaken(
  each: Situation,
  state: SpendingState,
  reservation: Reservation | undefined,
  ticket?: Reservation,
): boolean {
  const asked = {
    ...{ key, ticket, limits: limitsOf(each), hasFreshLimits: true, requestId: reservation?.requestId, until: 0 },
    ...{ onCredit: each.credit !== undefined, isLimited: isLimited(each) },
  };
  const write = writeOf(asked, reservation, state, { nowMicros: microsOf(time.clock()) });
  const { credit = { granted: 0, spent: 0, committed: 0, reservations: [] } } = state;
  const evaluated = allHold(write.guards, state.spending) && allHold(write.creditGuards, credit);
  const compiled = holds(admission(write, 1), spendingItem()) && (!reservation || isCreditTaken(write, reservation));
  expect(compiled).toBe(evaluated);
  return compiled;
}

function isCreditTaken({ creditGuards }: Pick<AdmissionWrite, "creditGuards">, reservation: Reservation): boolean {
  if (creditGuards.length === 0) return true;
  return holds(
    creditAdmission(key, reservation, creditGuards),
    accounting.table.get(creditRecord.key({ tenant_id: key.tenantId })),
  );
}

const spendingItem = () =>
  accounting.table.get(spendingRecord.key({ tenant_id: key.tenantId, caller_id: key.callerId, month: key.month }));

function holds({ ConditionExpression = "", ...update }: Change, item: Item | undefined): boolean {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = update;
  return condition(ConditionExpression).holds(item, { names, values });
}

/** All that the call asked for, within the budget. */
function whole(each: Situation): Reservation {
  const { boundsAt, costAt, maxTokens, requestId } = requestOf(each);
  const bounds = boundsAt(maxTokens);
  return aReservation(requestId, { amount: costAt(maxTokens), bounds, onCredit: each.credit !== undefined });
}

test("the store's condition admits a call exactly if the rules do", async () => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(situations, async (each) => {
      const state = await stage(each);
      const decision = await decided(each, state, requestOf(each));
      seen[decision.kind] = (seen[decision.kind] ?? 0) + 1;
      if (decision.write) {
        expect(isTaken(each, state, decision.write.reservation)).toBe(true);
        return;
      }
      const asked = whole(each);
      expect(isTaken(each, state, asked)).toBe(false);
      // Nobody may overdraw who may not: under the plain check nothing is an overdraft.
      expect(isTaken(each, state, { ...asked, overdraft: true })).toBe(false);
    }),
    { numRuns },
  );
  for (const kind of ["admit", "draw", "wait", "busy", "refuse"]) expect(seen[kind]).toBeGreaterThan(numRuns / 500);
});

test("the store fills a ticket exactly if the rules allow it", async () => {
  await fc.assert(
    fc.asyncProperty(situations, async (each) => {
      const ticket = { ...whole(each), amount: 0 };
      await stage({ ...each, isNew: false });
      const { inflight = 0, ...item } = spendingItem() as { inflight?: number };
      accounting.table.put({ ...item, inflight: inflight + 1, [`r#${shortId("new")}`]: stored(ticket) } as Item);
      const onCredit = each.credit !== undefined;
      const state = await accounting.spending.read(key, { onCredit });
      // Whoever holds a ticket has taken a turn in the rate limit.
      const reservations = state.spending.reservations.filter(({ requestId }) => requestId !== "new");
      const rested = { ...state, spending: { ...state.spending, tat: 0, inflight, reservations } };
      const decision = await decided({ ...each, maxInFlight: inflight + 1 }, rested, requestOf(each));
      const situation = { ...each, maxInFlight: inflight + 1 };
      const filled = (reservation: Reservation) => isTaken(situation, state, { ...reservation, version: 1 }, ticket);
      const reservation = decision.write?.reservation;
      if (reservation && !isTicket(reservation)) expect(filled(reservation)).toBe(true);
      else expect(filled(whole(each))).toBe(false);
    }),
    { numRuns },
  );
});

test("the store admits a call that costs nothing exactly if the rules do", async () => {
  await fc.assert(
    fc.asyncProperty(situations, async ({ credit: _credit, ...each }) => {
      const situation = { ...each, credit: undefined };
      const state = await stage(situation);
      const decision = await decided(situation, state, undefined);
      expect(isTaken(situation, state, undefined)).toBe(decision.kind === "admit");
    }),
    { numRuns },
  );
});

test("a free credit is drawn up to the grant that the writer has read, whatever grant is in the row", async () => {
  const tokens = fc.integer({ min: 1, max: 400 });
  const grants = fc.constantFrom(50, 100, 300);
  await fc.assert(
    fc.property(grants, grants, money, tokens, tokens, (granted, known, spent, reserved, wanted) => {
      accounting.grant(key.tenantId, { granted_tokens: granted, spent, committed: spent + reserved });
      const reservation = aReservation("new", { bounds: { input: wanted, output: 0 }, onCredit: true });
      const item = accounting.table.get(creditRecord.key({ tenant_id: key.tenantId }));
      const isAllowed = spent < known && spent + reserved + wanted <= 2 * known;
      const guards = [isNew(reservation), ...creditGuards(known, wanted)];
      expect(holds(creditAdmission(key, reservation, guards), item)).toBe(isAllowed);
    }),
    { numRuns },
  );
});
