// The conditional writes of a tenant's free credit. Each goes with its caller's spending in one transaction, so that both have
// the same reservations; the version that guards them is in the caller's item.

import { mostCommitted } from "../../../domain/budget/plan.ts";
import { creditTokensOf, type Reservation } from "../../../domain/budget/reservation.ts";
import type { Credit, SpendingKey } from "../../../domain/budget/spending.ts";
import type { PaidByCredit } from "../../../domain/metering/credit-draw.ts";
import type { Item } from "../write.ts";
import { numberOf, type Update } from "./spending-expressions.ts";
import { creditReservationsOf, reservationName } from "./stored-reservation.ts";

/**
 * The reservation's tokens, with whom they belong to, so that whoever finds the reservation dead can book it.
 * @param granted the credit's grant as the writer read it: who draws on a credit has no right to name the attribute
 */
export function creditAdmission({ callerId, month }: SpendingKey, reservation: Reservation, granted: number): Update {
  const tokens = creditTokensOf(reservation);
  return {
    UpdateExpression: "SET #r = :r ADD committed :k",
    ConditionExpression: "attribute_not_exists(#r) AND spent < :granted AND committed <= :room",
    ExpressionAttributeNames: { "#r": reservationName(reservation.requestId) },
    ExpressionAttributeValues: {
      ":r": { k: tokens, c: callerId, m: month, x: reservation.leaseEndsAt },
      ...{ ":k": tokens, ":granted": granted, ":room": mostCommitted(granted) - tokens },
    },
  };
}

/** Trues up or renews a reservation of the credit. */
export function creditChange(from: Reservation, to: Reservation): Update {
  return {
    UpdateExpression: "SET #r.k = :k, #r.x = :x ADD committed :d",
    ConditionExpression: "attribute_exists(#r)",
    ExpressionAttributeNames: { "#r": reservationName(from.requestId) },
    ExpressionAttributeValues: {
      ":k": creditTokensOf(to),
      ":x": to.leaseEndsAt,
      ":d": creditTokensOf(to) - creditTokensOf(from),
    },
  };
}

export function creditSettlement(reservation: Reservation, tokens: number): Update {
  return {
    UpdateExpression: "REMOVE #r ADD spent :t, committed :d",
    ConditionExpression: "attribute_exists(#r)",
    ExpressionAttributeNames: { "#r": reservationName(reservation.requestId) },
    ExpressionAttributeValues: { ":t": tokens, ":d": tokens - creditTokensOf(reservation) },
  };
}

/** Books the difference between a provisional row and the final one. */
export function creditCorrection(difference: number): Update {
  return {
    UpdateExpression: "ADD spent :d, committed :d",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":d": difference },
  };
}

/** Draws what a closed hour's usage takes of the credit; the meter writes it. */
export function creditDraw({ tokens, granted }: PaidByCredit): Update {
  return {
    UpdateExpression: "ADD spent :k, committed :k",
    ConditionExpression: "spent <= :room AND committed <= :room",
    ExpressionAttributeValues: { ":k": tokens, ":room": granted - tokens },
  };
}

/** A tenant without a credit item has none left. */
export function creditOf(item: Item | undefined): Credit {
  return {
    granted: numberOf(item, "granted_tokens"),
    spent: numberOf(item, "spent"),
    committed: numberOf(item, "committed"),
    reservations: creditReservationsOf(item ?? {}),
  };
}
