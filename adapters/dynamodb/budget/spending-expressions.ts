// The conditional writes of a caller's spending as DynamoDB expressions. Conditions know no arithmetic, so every bound is computed
// here. docs/decisions/0015 says why each condition is needed.
import { heldOf } from "../../../domain/budget/allowance.ts";
import type { Reservation, Tombstone } from "../../../domain/budget/reservation.ts";
import type {
  AdmissionWrite,
  CappedChangeWrite,
  ChangeWrite,
  Draw,
  Limits,
  SettlementWrite,
  Spending,
  SpendingKey,
} from "../../../domain/budget/spending.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { activeCallerIndex } from "../schema.ts";
import type { Item } from "../write.ts";
import { slicesOf } from "./allowances.ts";
import { type RateGuess, rateExpression } from "./rate-expression.ts";
import {
  knownOf,
  longId,
  reservationName,
  reservationsOf,
  shortId,
  stored,
  storedTombstone,
  tombstoneVersion,
} from "./stored-reservation.ts";

export type Update = {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues: Item;
};

const noOverdraft = "attribute_not_exists(overdraft)";

/** Admits, overdraws or takes a ticket, as the reservation says. */
export function admission(
  { key, limits }: Pick<AdmissionWrite, "key" | "limits">,
  reservation: Reservation,
  guess: RateGuess,
  slices?: Spending,
): Update {
  const rate = rateExpression(limits.rate, guess);
  const within = slices && withinSlices(slices, reservation.amount);
  const budget = withinBudget(limits, reservation);
  const set = ["#r = :r", "gsi2_pk = :gp", "gsi2_sk = :gs", "expires_at = if_not_exists(expires_at, :e)", rate.set];
  const { gsi2_pk, gsi2_sk } = activeCallerIndex(key);
  return {
    UpdateExpression: `SET ${[...set, ...budget.set].join(", ")} ADD committed :a, spent :zero, inflight :one`,
    ConditionExpression: [
      "attribute_not_exists(#r)",
      "(attribute_not_exists(inflight) OR inflight < :max)",
      rate.condition,
      ...budget.conditions,
      ...(within?.conditions ?? []),
    ].join(" AND "),
    ExpressionAttributeNames: { "#r": reservationName(reservation.requestId) },
    ExpressionAttributeValues: {
      ...{ ":r": stored(reservation), ":gp": gsi2_pk, ":gs": gsi2_sk, ":e": expiry(guess) },
      ...{ ":a": reservation.overdraft ? 0 : reservation.amount, ":zero": 0, ":one": 1, ":max": limits.maxInFlight },
      ...rate.values,
      ...budget.values,
      ...within?.values,
    },
  };
}

/**
 * Conditions under which a reservation still fits into the slices of the owner's allowance that the caller holds. The state was read before,
 * and may have changed since: slices only ever grow, so that the read number is a lower bound; what others committed meanwhile, and another
 * overdraft, make the write fail. A ticket reserves nothing and needs no condition.
 * @param known the caller's state as it was read
 */
function withinSlices(known: Spending, amount: number) {
  if (amount === 0) return { conditions: [], values: {} };
  const { allowance = 0, overdraft } = known;
  const beyond = heldOf(known) - known.committed;
  const room = allowance - beyond - amount;
  return {
    conditions: [
      "allowance >= :slices",
      orAbsent("committed", "committed <= :within", room >= 0),
      overdraft === undefined ? noOverdraft : "overdraft = :beyond",
    ],
    values: {
      ...{ ":slices": allowance, ":within": room },
      ...(overdraft !== undefined && { ":beyond": shortId(overdraft) }),
    },
  };
}

/** A slice of the owner's allowance. The first one counts from what the caller has spent before it. */
export function sliceDrawn({ key, ownerSub, spent }: Draw, slice: number, expires: number): Update {
  const { gsi2_pk, gsi2_sk } = activeCallerIndex(key);
  const index = "gsi2_pk = :gp, gsi2_sk = :gs, expires_at = if_not_exists(expires_at, :e)";
  return {
    UpdateExpression: `SET allowance_of = :o, allowance = if_not_exists(allowance, :before) + :s, ${index}`,
    ConditionExpression: "attribute_not_exists(allowance_of) OR allowance_of = :o",
    ExpressionAttributeValues: {
      ":o": ownerSub,
      ":gp": gsi2_pk,
      ":gs": gsi2_sk,
      ":e": expires,
      ":s": slice,
      ":before": spent,
    },
  };
}

/** A call that costs nothing takes its turn in the rate limit, and is refused with a spent budget. */
export function passing(limits: Limits, guess: RateGuess): Update {
  const rate = rateExpression(limits.rate, guess);
  const conditions = limits.cap === undefined ? [] : [notSpent(limits.cap)];
  return {
    UpdateExpression: `SET expires_at = if_not_exists(expires_at, :e), ${rate.set}`,
    ConditionExpression: [rate.condition, ...conditions].join(" AND "),
    ExpressionAttributeValues: {
      ":e": expiry(guess),
      ...rate.values,
      ...(limits.cap !== undefined && { ":cap": limits.cap }),
    },
  };
}

/** An item without the attribute has nothing of it, which is not always below the bound. */
const orAbsent = (attribute: string, comparison: string, holdsOfNothing: boolean) =>
  holdsOfNothing ? `(attribute_not_exists(${attribute}) OR ${comparison})` : comparison;

const notSpent = (cap: number) => orAbsent("spent", "spent < :cap", cap > 0);

function withinBudget({ cap, enforcement }: Limits, { requestId, overdraft, amount }: Reservation) {
  if (cap === undefined) return { set: [], conditions: [], values: {} };
  const spent = { set: [], conditions: [notSpent(cap)], values: { ":cap": cap } };
  if (enforcement === "spent" || amount === 0) return spent;
  if (!overdraft) {
    const room = orAbsent("committed", "committed <= :room", amount <= cap);
    return { set: [], conditions: [notSpent(cap), room], values: { ":cap": cap, ":room": cap - amount } };
  }
  return {
    set: ["overdraft = :id"],
    conditions: [notSpent(cap), noOverdraft, orAbsent("committed", "committed < :cap", cap > 0)],
    values: { ":cap": cap, ":id": shortId(requestId) },
  };
}

function changeOf({ from, to }: ChangeWrite) {
  const { k } = knownOf(to);
  return {
    changed: `SET #r.a = :a, #r.n = :n1, #r.x = :x, #r.i = :i, #r.u = :u${k === undefined ? "" : ", #r.k = :k"}`,
    ExpressionAttributeNames: { "#r": reservationName(from.requestId) },
    ExpressionAttributeValues: {
      ...{ ":n": from.version, ":n1": to.version, ":a": to.amount, ":x": to.leaseEndsAt },
      ...{ ":i": to.bounds.input, ":u": to.bounds.output },
      ...(k !== undefined && { ":k": k }),
    },
  };
}

/** Trues up or renews a reservation. An overdraft has nothing in `committed`. */
export function change({ key, from, to }: ChangeWrite): Update {
  const { changed, ...base } = changeOf({ key, from, to });
  const update = { ...base, UpdateExpression: changed, ConditionExpression: "#r.n = :n" };
  if (from.overdraft) return update;
  return {
    ...update,
    UpdateExpression: `${changed} ADD committed :d`,
    ExpressionAttributeValues: { ...base.ExpressionAttributeValues, ":d": to.amount - from.amount },
  };
}

/** Gives a ticket its amount. */
export function fill(write: CappedChangeWrite, slices?: Spending): Update {
  const filled = filledBy(write);
  if (!slices) return filled;
  const { conditions, values } = withinSlices(slices, write.to.amount);
  return {
    ...filled,
    ConditionExpression: [filled.ConditionExpression, ...conditions].join(" AND "),
    ExpressionAttributeValues: { ...filled.ExpressionAttributeValues, ...values },
  };
}

function filledBy({ limits: { cap, enforcement }, ...write }: CappedChangeWrite): Update {
  const { changed, ExpressionAttributeNames, ExpressionAttributeValues } = changeOf(write);
  const { to } = write;
  if (to.overdraft) {
    return {
      UpdateExpression: `${changed}, #r.o = :one, overdraft = :id`,
      ConditionExpression: `#r.n = :n AND ${noOverdraft} AND committed < :cap`,
      ExpressionAttributeNames,
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ":one": 1, ":id": shortId(to.requestId), ":cap": cap },
    };
  }
  const base = {
    UpdateExpression: `${changed} ADD committed :a`,
    ConditionExpression: "#r.n = :n",
    ExpressionAttributeNames,
    ExpressionAttributeValues,
  };
  if (cap === undefined) return base;
  const isReserved = enforcement === "reserved";
  return {
    ...base,
    ConditionExpression: `#r.n = :n${isReserved ? " AND committed <= :room" : ""} AND spent < :cap`,
    ExpressionAttributeValues: {
      ...ExpressionAttributeValues,
      ...{ ":cap": cap, ...(isReserved && { ":room": cap - to.amount }) },
    },
  };
}

/** Moves the overdraft into the budget, so that another call may overdraw. */
export function moveIn({ limits: { cap = Number.MAX_SAFE_INTEGER }, ...write }: CappedChangeWrite): Update {
  const { changed, ExpressionAttributeNames, ExpressionAttributeValues } = changeOf(write);
  const { to } = write;
  return {
    UpdateExpression: `${changed} REMOVE overdraft, #r.o ADD committed :a`,
    ConditionExpression: "#r.n = :n AND overdraft = :id AND committed <= :room",
    ExpressionAttributeNames,
    ExpressionAttributeValues: {
      ...ExpressionAttributeValues,
      ...{ ":id": shortId(to.requestId), ":room": cap - to.amount },
    },
  };
}

export function settlement(settled: Pick<SettlementWrite, "reservation" | "cost"> & { back?: number }): Update {
  const { reservation, cost, back = 0 } = settled;
  const { requestId, amount, version, overdraft } = reservation;
  const correction = overdraft ? cost : cost - amount;
  return {
    UpdateExpression: `REMOVE #r${overdraft ? ", overdraft" : ""} ADD spent :c, committed :d, inflight :minus${back === 0 ? "" : ", allowance :back"}`,
    ConditionExpression: `#r.n = :n${overdraft ? " AND overdraft = :id" : ""}`,
    ExpressionAttributeNames: { "#r": reservationName(requestId) },
    ExpressionAttributeValues: {
      ...{ ":n": version, ":c": cost, ":d": correction, ":minus": -1 },
      ...(overdraft && { ":id": shortId(requestId) }),
      ...(back !== 0 && { ":back": -back }),
    },
  };
}

/** Books the difference between a provisional row and the final one. The caller's slices of the owner's allowance are less by `back`. */
export function correction(difference: number, back = 0): Omit<Update, "ConditionExpression"> {
  return {
    UpdateExpression: `ADD spent :d, committed :d${back === 0 ? "" : ", allowance :back"}`,
    ExpressionAttributeValues: { ":d": difference, ...(back !== 0 && { ":back": -back }) },
  };
}

/** @param expires the end, in seconds, of an item that was not there before */
export function tombstone(key: SpendingKey, { requestId, leaseEndsAt }: Tombstone, expires: number): Update {
  const { gsi2_pk, gsi2_sk } = activeCallerIndex(key);
  return {
    UpdateExpression: "SET #r = :r, gsi2_pk = :gp, gsi2_sk = :gs, expires_at = if_not_exists(expires_at, :e)",
    ConditionExpression: "attribute_not_exists(#r)",
    ExpressionAttributeNames: { "#r": reservationName(requestId) },
    ExpressionAttributeValues: {
      ":r": storedTombstone({ requestId, leaseEndsAt }),
      ":gp": gsi2_pk,
      ":gs": gsi2_sk,
      ":e": expires,
    },
  };
}

export function tombstoneRemoval(requestId: string): Update {
  return {
    UpdateExpression: "REMOVE #r",
    ConditionExpression: "#r.n = :n",
    ExpressionAttributeNames: { "#r": reservationName(requestId) },
    ExpressionAttributeValues: { ":n": tombstoneVersion },
  };
}

export function spendingOf(item: Item | undefined): Spending {
  const { overdraft, tat_rate } = item ?? {};
  return {
    spent: numberOf(item, "spent"),
    committed: numberOf(item, "committed"),
    inflight: numberOf(item, "inflight"),
    tat: numberOf(item, "tat"),
    ...(typeof tat_rate === "string" && { tatRate: tat_rate }),
    overdraft: typeof overdraft === "string" ? longId(overdraft) : undefined,
    ...slicesOf(item),
    ...reservationsOf(item ?? {}),
  };
}

export function numberOf(item: Item | undefined, name: string): number {
  return Number(item?.[name] ?? 0);
}

function expiry({ nowMicros }: RateGuess): number {
  return expiresAt("spending", Math.floor(nowMicros / 1_000));
}
