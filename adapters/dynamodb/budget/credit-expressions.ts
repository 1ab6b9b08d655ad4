// The conditional writes of a tenant's free credit. Each goes with its caller's spending in one transaction, so that both have
// the same reservations; the version that guards them is in the caller's item.
import { type Guard, isThere } from "../../../domain/budget/guard.ts";
import { creditTokensOf, type Reservation } from "../../../domain/budget/reservation.ts";
import type { Credit, SpendingKey } from "../../../domain/budget/spending.ts";
import type { PaidByCredit } from "../../../domain/metering/credit-draw.ts";
import type { Item } from "../write.ts";
import { guarded } from "./guard-condition.ts";
import { numberOf, type Update } from "./spending-expressions.ts";
import { creditReservationsOf } from "./stored-reservation.ts";

/** The reservation's tokens, with whom they belong to, so that whoever finds the reservation dead can book it. */
export function creditAdmission(
  { callerId, month }: SpendingKey,
  reservation: Reservation,
  guards: readonly Guard[],
): Update {
  const tokens = creditTokensOf(reservation);
  const drawn = {
    UpdateExpression: "SET #r = :r ADD committed :k",
    ExpressionAttributeValues: {
      ":r": { k: tokens, c: callerId, m: month, x: reservation.leaseEndsAt },
      ":k": tokens,
    },
  };
  return guarded(drawn, guards);
}

/** Trues up or renews a reservation of the credit. */
export function creditChange(from: Reservation, to: Reservation): Update {
  const changed = {
    UpdateExpression: "SET #r.k = :k, #r.x = :x ADD committed :d",
    ExpressionAttributeValues: {
      ":k": creditTokensOf(to),
      ":x": to.leaseEndsAt,
      ":d": creditTokensOf(to) - creditTokensOf(from),
    },
  };
  return guarded(changed, [isThere(from)]);
}

export function creditSettlement(reservation: Reservation, tokens: number): Update {
  const settled = {
    UpdateExpression: "REMOVE #r ADD spent :t, committed :d",
    ExpressionAttributeValues: { ":t": tokens, ":d": tokens - creditTokensOf(reservation) },
  };
  return guarded(settled, [isThere(reservation)]);
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
