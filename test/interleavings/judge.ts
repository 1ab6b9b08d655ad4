// The judge of a schedule: checks what must hold after each write, and once everything has come to rest.

import { allowanceRecord } from "../../adapters/dynamodb/budget/allowance.record.ts";
import { creditRecord } from "../../adapters/dynamodb/budget/credit.record.ts";
import { creditOf } from "../../adapters/dynamodb/budget/credit-expressions.ts";
import { spendingRecord } from "../../adapters/dynamodb/budget/spending.record.ts";
import { spendingOf } from "../../adapters/dynamodb/budget/spending-expressions.ts";
import { records } from "../../adapters/dynamodb/records.ts";
import { heldOf } from "../../domain/budget/allowance.ts";
import { graceMs, isOver } from "../../domain/budget/reservation.ts";
import type { Credit, Spending } from "../../domain/budget/spending.ts";
import { totalTokens } from "../../domain/catalog/token-usage.ts";
import type { LedgerRow } from "../../domain/ledger/ledger.ts";
import type { Item } from "../support/memory-dynamodb/tokens.ts";
import { type Call, costOf, ownerSub, tenantId, type World } from "./world.ts";

const isOf = (kind: keyof typeof records, item: Item) => String(item.pk).startsWith(records[kind].prefix);
const nameOf = (item: Item) => `${item.pk} ${item.sk}`;
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, each) => total + each, 0);

/** The most by which the clocks of two functions differ, in milliseconds. */
const clockSkew = 1_000;

/** Checks each write to the table. */
export function watch(world: World): void {
  /** The largest amount that went beyond the budget, by item. */
  const overdrawn = new Map<string, number>();
  const allowance = new AllowanceSums(world);
  world.table.onWrite = (before, after) => {
    if (!after) return;
    allowance.note(before, after);
    if (isOf("spending", after)) {
      const name = nameOf(after);
      const [old, now] = [spendingOf(before), spendingOf(after)];
      const beyond = now.reservations.filter((each) => each.overdraft).map(({ amount }) => amount);
      const most = Math.max(overdrawn.get(name) ?? 0, ...beyond);
      overdrawn.set(name, most);
      lookAtSpending(world, { name, before: old, after: now, overdrawn: most });
    }
    if (isOf("credit", after)) lookAtCredit(world, creditOf(after));
    if (isOf("waitingRoom", after)) lookAtRoom(world, after);
    if (isOf("ledger", after)) lookAtRow(world, before, after);
  };
}

/** What callers have in slices and what the owner's row counts. A transaction's writes are seen one after the other. */
class AllowanceSums {
  readonly #world: World;
  #slices = 0;
  #drawn = 0;

  constructor(world: World) {
    this.#world = world;
  }

  note(before: Item | undefined, after: Item): void {
    const world = this.#world;
    if (world.trialCap === undefined) return;
    if (isOf("spending", after)) {
      const now = spendingOf(after);
      const { allowance = 0 } = now;
      const more = allowance - (spendingOf(before).allowance ?? 0);
      this.#slices += more;
      if (more !== 0) world.count(more > 0 ? "slices drawn" : "slices taken back");
      if (heldOf(now) > allowance) world.problem("a caller holds more than its slices");
    }
    if (isOf("allowance", after)) this.#drawn = Number(after.drawn ?? 0);
    if (this.#slices > this.#drawn) world.problem("callers have more slices than are drawn");
    if (this.#drawn > world.trialCap) world.problem("more is drawn than may be");
  }
}

function lookAtRow(world: World, before: Item | undefined, after: Item): void {
  if (before && before.provisional !== true) world.problem("a final row was written again");
  if (after.provisional) world.count(before ? "reclaimed again" : "reclaimed");
  if (before?.provisional && !after.provisional) world.count("corrected");
  if (after.provisional && world.isCalm) world.problem("a living call was taken for dead");
}

type Change = { name: string; before: Spending; after: Spending; overdrawn: number };

function lookAtSpending(world: World, { name, before, after, overdrawn }: Change): void {
  const { spent, committed, inflight, overdraft, reservations } = after;
  const holders = reservations.filter((each) => each.overdraft);
  const within = sum(reservations.filter((each) => !each.overdraft).map(({ amount }) => amount));
  if (committed !== spent + within) world.problem("committed is not what is spent and reserved");
  if (inflight !== reservations.length) world.problem("in flight are not as many as are reserved");
  if (holders.length > 1) world.problem("two overdrafts");
  if (overdraft !== holders[0]?.requestId) world.problem("the overdraft is not named by its holder");
  if (spent < 0) world.problem("spent below zero");

  if (inflight > before.inflight && inflight > world.highest((limits) => limits.maxInFlight)) {
    world.problem("more in flight than may be");
  }
  const isBounded = world.limits.every(({ limits }) => limits.cap !== undefined && limits.enforcement === "reserved");
  const highest = world.highest(({ cap = 0 }) => cap);
  if (isBounded && committed + (holders[0]?.amount ?? 0) > highest + overdrawn) {
    world.problem("more than one request beyond the budget");
  }
  const isSettlement = before.reservations.length > reservations.length;
  if (isBounded && !isSettlement && committed > Math.max(before.committed, highest)) {
    world.problem("reserved beyond the budget");
  }
  if (spent < before.spent) world.lowered.push({ at: world.time.now, from: before.spent });
  if (after.tombstones.length > before.tombstones.length) world.count("tombstones");
  for (const old of before.reservations) {
    const now = reservations.find(({ requestId }) => requestId === old.requestId);
    if (!now) continue;
    if (old.amount === 0 && now.amount > 0) world.count("filled");
    if (old.overdraft && !now.overdraft) world.count("moved in");
  }
  for (const { requestId } of before.reservations) {
    if (!reservations.some((each) => each.requestId === requestId)) world.stoodUntil.set(requestId, world.time.now);
  }
  if (after.tat !== before.tat) world.lastTurn = world.time.now;
  if (after.tat !== before.tat) world.rises.set(name, (world.rises.get(name) ?? 0) + 1);
  if (world.isSerial && world.trialCap === undefined) lookForShortening(world, before, after);
}

/** A call that is alone gets all that it asked for. */
function lookForShortening(world: World, before: Spending, { reservations }: Spending): void {
  for (const reservation of reservations) {
    const call = world.calls.get(reservation.requestId);
    const old = before.reservations.find(({ requestId }) => requestId === reservation.requestId);
    const isNew = reservation.amount > 0 && (old === undefined || old.amount === 0);
    const isAlone = reservations.length === 1;
    if (!call || !isNew || !isAlone || call.onCredit || world.otherWentSince(call.beganAt, call)) continue;
    if (reservation.amount < costOf(call.inputBound, call.maxTokens))
      world.problem("a call that was alone is shortened");
  }
}

function lookAtCredit(world: World, { granted, spent, committed, reservations }: Credit): void {
  const reserved = sum(reservations.map(({ tokens }) => tokens));
  if (committed !== spent + reserved) world.problem("the credit's committed is not what is spent and reserved");
  if (committed > 2 * granted) world.problem("more than twice the credit");
}

function lookAtRoom(world: World, room: Item): void {
  const waiting = Object.keys(room).filter((name) => name.startsWith("w#")).length;
  if (waiting !== room.waiting) world.problem("the waiting room counts wrongly");
  if (waiting > world.places) world.problem("more wait than may");
}

/** Checks what stands when everything is over. */
export function judge(world: World): void {
  const items = [...world.table.items];
  const rows = items.filter((item) => isOf("ledger", item)) as unknown as LedgerRow[];
  for (const item of items) {
    if (isOf("spending", item)) judgeMonth(world, item, rows);
    if (isOf("credit", item)) judgeCredit(world, creditOf(item), rows);
  }
  const booked = new Map(rows.map((row) => [row.request_id, row]));
  for (const call of world.calls.values()) judgeCall(world, call, booked.get(call.requestId));
}

/** No more calls were counted in the rate limit than the bucket gave since the first. */
function judgeRate(world: World, item: Item): void {
  const { burst, perMinute } = world.limitsAt(0).rate;
  const turns = world.rises.get(nameOf(item)) ?? 0;
  const minutes = (world.lastTurn - world.beganAt + clockSkew) / 60_000;
  if (turns > 0 && turns > burst + minutes * perMinute) world.problem("faster than the rate");
}

function judgeMonth(world: World, item: Item, rows: LedgerRow[]): void {
  judgeRate(world, item);
  const { spent, committed, inflight, overdraft, reservations, tombstones } = spendingOf(item);
  const [callerId, month] = [String(item.pk).split("#").at(-1), String(item.sk).slice("MONTH#".length)];
  const own = rows.filter((row) => row.caller_id === callerId && row.admitted_at.startsWith(month));
  if (reservations.length > 0) world.problem("a reservation is left");
  if (tombstones.length > 0) world.problem("a tombstone is left");
  if (inflight !== 0) world.problem("something is in flight for ever");
  if (overdraft !== undefined) world.problem("the overdraft is held for ever");
  if (committed !== spent) world.problem("something is committed for ever");
  if (spent !== sum(own.map(({ cost }) => cost))) world.problem("spent is not what the ledger says");

  const isBounded = world.limits.every(({ limits }) => limits.cap !== undefined && limits.enforcement === "reserved");
  const calls = [...world.calls.values()].filter((call) => call.callerId === callerId && call.month === month);
  const truths = calls.flatMap(({ truth }) => (truth ? [truth.cost] : []));
  const highest = world.highest(({ cap = 0 }) => cap);
  if (isBounded && sum(truths) > highest + Math.max(0, ...truths)) world.problem("over by more than one request");
}

function judgeCredit(world: World, { granted, spent, committed, reservations }: Credit, rows: LedgerRow[]): void {
  if (reservations.length > 0) world.problem("a reservation of the credit is left");
  if (committed !== spent) world.problem("something of the credit is committed for ever");
  const drawn = sum(rows.filter(({ on_credit }) => on_credit).map(({ usage }) => totalTokens(usage)));
  if (spent !== drawn) world.problem("the credit is not what the ledger says");
  const taken = sum([...world.calls.values()].map(({ truth }) => truth?.tokens ?? 0));
  if (taken > 2 * granted) world.problem("more than twice the credit is taken");
}

function judgeCall(world: World, call: Call, row: LedgerRow | undefined): void {
  const cost = call.truth?.cost ?? 0;
  if (call.isBooked && cost > 0 && !row) world.problem("a cost is lost");
  if (call.isBooked && row && (row.cost !== cost || row.provisional)) world.problem("the truth is not in the ledger");
  if (!call.isBooked && call.truth && (!row || row.cost < cost)) world.problem("a dead call is booked below its cost");
  const wasNotServed = call.end === "refused" || call.end === "unanswered";
  if (wasNotServed && !call.died && row && row.cost > 0) world.problem("a call that was not served is booked");
  if (!call.end && !call.died) world.problem("a call never ended");
}

/** How long after its lease a dead call may stand in the way of a serial caller: reclaiming it takes this time. */
const reclaimMs = 10_000;

/** A serial caller is refused only over the budget, or because of what a dead function left. */
export function judgeRefusal(world: World, call: Call): void {
  const { time, table } = world;
  const { reservations, spent } = spendingOf(
    table.get(spendingRecord.key({ tenant_id: tenantId, caller_id: call.callerId, month: call.month ?? "" })),
  );
  const drawn = call.onCredit ? creditOf(table.get(creditRecord.key({ tenant_id: tenantId }))).reservations : [];
  const others = [...reservations, ...drawn].filter(({ requestId }) => requestId !== call.requestId);
  const stands = (other: { leaseEndsAt: number }) => !isOver(other, time.now - graceMs - reclaimMs);
  const isAlone = !others.some(stands) && !world.otherWentSince(time.now - reclaimMs, call);
  if (call.refusedWith === "budget_exceeded" && !call.froze) {
    const caps = world.limits.map(({ limits }) => limits.cap ?? Number.POSITIVE_INFINITY);
    const lowered = [...world.lowered].filter(({ at }) => at >= time.now - reclaimMs);
    const seen = Math.max(spent, ...lowered.map(({ from }) => from));
    if (seen < Math.min(...caps)) world.problem("refused as spent with money left");
  }
  const isBusy = call.refusedWith === "budget_reserved" || call.refusedWith === "concurrency_limited";
  // A function that died while it took back idle slices keeps the place of it for some seconds.
  const placeUntil = Number(table.get(allowanceRecord.key({ owner_sub: ownerSub }))?.takeback_until ?? 0);
  const isPlaceFree = placeUntil + reclaimMs < time.now;
  if (world.isSerial && isBusy && isPlaceFree && !call.froze && isAlone)
    world.problem("a serial caller is refused without a cause");
}
