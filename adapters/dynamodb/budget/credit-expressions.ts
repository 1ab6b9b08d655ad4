// The conditional writes of a tenant's free credit. Each goes with its caller's spending in one transaction, so that both have
// the same reservations; the version that guards them is in the caller's item.

import { creditTokensOf, type Reservation } from "../../../domain/budget/reservation.ts";
import type { Credit, SpendingKey } from "../../../domain/budget/spending.ts";
import type { PaidByCredit } from "../../../domain/metering/credit-draw.ts";
import { freeCreditTokens } from "../../../domain/workspace/tenant.ts";
import { type Item, numberOf, type Update } from "./spending-expressions.ts";
import { creditReservationsOf, reservationName } from "./stored-reservation.ts";

/** As one more grant may be reserved than is left, nobody takes more than twice the credit (design, section 6, "Credit"). */
const most = 2 * freeCreditTokens;

/** @param reservation that of the caller's item: whose it is stands beside the tokens, for whoever finds it dead */
export function creditAdmission({ callerId, month }: SpendingKey, reservation: Reservation): Update {
  const tokens = creditTokensOf(reservation);
  return {
    UpdateExpression: "SET #r = :r ADD committed :k",
    ConditionExpression:
      "attribute_exists(pk) AND attribute_not_exists(#r) AND spent < :granted AND committed <= :room",
    ExpressionAttributeNames: { "#r": reservationName(reservation.requestId) },
    ExpressionAttributeValues: {
      ":r": { k: tokens, c: callerId, m: month, x: reservation.leaseEndsAt },
      ...{ ":k": tokens, ":granted": freeCreditTokens, ":room": most - tokens },
    },
  };
}

/** True-up and renewal. */
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

/** Books a difference: of a provisional row, and the truth. */
export function creditCorrection(difference: number): Update {
  return {
    UpdateExpression: "ADD spent :d, committed :d",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":d": difference },
  };
}

/** What the meter draws of a closed hour. */
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
