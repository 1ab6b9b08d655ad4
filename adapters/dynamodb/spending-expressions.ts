// The conditional writes of admission and settlement as DynamoDB expressions. Its conditions know no arithmetic, so every
// bound is computed here.

import { interval, tolerance } from "../../domain/spending/rate-limit.ts";
import type { Reservation } from "../../domain/spending/reservation.ts";
import type { AdmissionWrite, Credit, Spending } from "../../domain/spending/spending.ts";
import { freeCreditTokens } from "../../domain/tenancy/tenant.ts";
import type { BucketGuess } from "./bucket-memory.ts";

export type Item = Record<string, unknown>;

const prefix = "r#";
/** 25 months, as long as the rollups. */
export const spendingLifeSeconds = 25 * 31 * 24 * 3600;

/** One top-level attribute for each reservation: adding one touches no other. */
export function reservationName({ requestId }: Pick<Reservation, "requestId">): string {
  return prefix + requestId;
}

/** Two forms of the rate condition: a guess that turns out wrong is refused by the table, whatever else holds. */
export function admissionExpression(
  { limits, reservation }: Pick<AdmissionWrite, "limits" | "reservation">,
  { form, slackMicros, nowMicros }: BucketGuess,
) {
  const step = interval(limits.rate);
  const set = ["expires_at = if_not_exists(expires_at, :expires)"];
  const add: string[] = [];
  const conditions: string[] = [];
  const values: Item = { ":expires": Math.floor(nowMicros / 1_000_000) + spendingLifeSeconds, ":now": nowMicros };
  if (form === "idle") {
    set.push("tat = :next");
    values[":now"] = nowMicros + slackMicros;
    values[":next"] = nowMicros + slackMicros + step;
    conditions.push("(attribute_not_exists(tat) OR tat <= :now)");
  } else {
    set.push("tat = tat + :step");
    values[":step"] = step;
    values[":now_plus_burst"] = nowMicros + tolerance(limits.rate);
    conditions.push("tat > :now AND tat <= :now_plus_burst");
  }
  if (limits.cap !== undefined) {
    values[":cap"] = limits.cap;
    // Nothing spent yet is not below a budget of nothing.
    conditions.push(limits.cap > 0 ? "(attribute_not_exists(spent) OR spent < :cap)" : "spent < :cap");
  }
  if (reservation) {
    values[":r"] = stored(reservation);
    values[":reserved_cost"] = reservation.reservedCost;
    values[":one"] = 1;
    values[":max"] = limits.maxInFlight;
    set.push("#r = :r");
    add.push("committed :reserved_cost", "inflight :one");
    conditions.push("attribute_not_exists(#r)", "(attribute_not_exists(inflight) OR inflight < :max)");
    if (limits.cap !== undefined && limits.enforcement === "reserved") {
      values[":room"] = limits.cap - reservation.reservedCost;
      conditions.push("(attribute_not_exists(committed) OR committed <= :room OR committed = spent)");
    }
  }
  return {
    UpdateExpression: `SET ${set.join(", ")}${add.length > 0 ? ` ADD ${add.join(", ")}` : ""}`,
    ConditionExpression: conditions.join(" AND "),
    ...(reservation && { ExpressionAttributeNames: { "#r": reservationName(reservation) } }),
    ExpressionAttributeValues: values,
  };
}

export function settlementExpression(reservation: Reservation, cost: number) {
  return {
    UpdateExpression: "REMOVE #r ADD spent :cost, committed :correction, inflight :minus_one",
    ConditionExpression: "attribute_exists(#r)",
    ExpressionAttributeNames: { "#r": reservationName(reservation) },
    ExpressionAttributeValues: { ":cost": cost, ":correction": cost - reservation.reservedCost, ":minus_one": -1 },
  };
}

/** The same rule as for budgets, in tokens: who is alone is refused only when over. */
export function creditAdmission(reservation: Reservation) {
  const { creditTokens = 0 } = reservation;
  return {
    UpdateExpression: "SET #r = :tokens ADD committed :tokens",
    ConditionExpression:
      "attribute_exists(pk) AND attribute_not_exists(#r) AND spent < :granted AND (committed <= :room OR committed = spent)",
    ExpressionAttributeNames: { "#r": reservationName(reservation) },
    ExpressionAttributeValues: {
      ":tokens": creditTokens,
      ":granted": freeCreditTokens,
      ":room": freeCreditTokens - creditTokens,
    },
  };
}

export function creditSettlement(reservation: Reservation, tokens: number) {
  const { creditTokens = 0 } = reservation;
  return {
    UpdateExpression: "REMOVE #r ADD spent :tokens, committed :correction",
    ConditionExpression: "attribute_exists(#r)",
    ExpressionAttributeNames: { "#r": reservationName(reservation) },
    ExpressionAttributeValues: { ":tokens": tokens, ":correction": tokens - creditTokens },
  };
}

export function spendingOf(item: Item | undefined): Spending {
  return {
    spent: numberOf(item, "spent"),
    committed: numberOf(item, "committed"),
    inflight: numberOf(item, "inflight"),
    tat: numberOf(item, "tat"),
    reservations: Object.entries(item ?? {})
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => ({ requestId: name.slice(prefix.length), ...(value as object) }) as Reservation),
  };
}

/** A tenant without a credit item has none left. */
export function creditOf(item: Item | undefined): Credit {
  return {
    granted: numberOf(item, "granted_tokens"),
    spent: numberOf(item, "spent"),
    committed: numberOf(item, "committed"),
  };
}

function stored({ requestId: _requestId, ...rest }: Reservation) {
  return rest;
}

function numberOf(item: Item | undefined, name: string): number {
  return Number(item?.[name] ?? 0);
}
