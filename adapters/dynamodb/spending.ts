// What each caller spent, reserved and has in flight in a month: one item, changed by one conditional write at a time.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { AdmissionWrite, Settlement, SpendingKey, SpendingStore } from "../../domain/admission.ts";
import type { Reservation, Spending } from "../../domain/budget.ts";
import { interval, tolerance } from "../../domain/rate-limit.ts";
import { keys } from "./schema.ts";

const reservationPrefix = "r#";
/** 25 months, as long as the rollups. */
const lifeSeconds = 25 * 31 * 24 * 3600;

type Item = Record<string, unknown>;

export function spendingStore(client: DynamoDBDocumentClient, tableName: string): SpendingStore {
  return {
    async admit(write) {
      try {
        const { Attributes } = await client.send(
          new UpdateCommand({
            TableName: tableName,
            Key: keyOf(write.key),
            ...admissionExpression(write),
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        );
        return { admitted: true, spending: spendingOf(Attributes) };
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        const old = error.Item && unmarshall(error.Item);
        // Our own reservation is there: the write took effect and its answer was lost.
        const admitted = old !== undefined && reservationPrefix + write.reservation?.requestId in old;
        return { admitted, spending: spendingOf(old) };
      }
    },

    async settle(settlement) {
      try {
        await client.send(
          new UpdateCommand({ TableName: tableName, Key: keyOf(settlement.key), ...settlementExpression(settlement) }),
        );
      } catch (error) {
        // The reservation is gone: this settlement, or a reclaim of it, took effect before.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },

    async register({ tenantId, callerId, month }, now) {
      await client.send(
        new PutCommand({
          TableName: tableName,
          Item: { ...keys.spender(tenantId, callerId, month), expires_at: Math.floor(now / 1000) + lifeSeconds },
        }),
      );
    },
  };
}

function keyOf({ tenantId, callerId, month }: SpendingKey) {
  return keys.spending(tenantId, callerId, month);
}

/**
 * DynamoDB's conditions know no arithmetic, so the bounds are computed here. Two forms of the rate condition: `idle` if the
 * bucket is full (tat in the past), `busy` otherwise; the caller guesses and tries the other on failure.
 */
function admissionExpression({ limits, reservation, form, nowMicros }: AdmissionWrite) {
  const step = interval(limits.rate);
  const set = ["expires_at = if_not_exists(expires_at, :expires)"];
  const add: string[] = [];
  const conditions: string[] = [];
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {
    ":expires": Math.floor(nowMicros / 1_000_000) + lifeSeconds,
    ":now": nowMicros,
  };
  if (form === "idle") {
    set.push("tat = :next");
    values[":next"] = nowMicros + step;
    conditions.push("(attribute_not_exists(tat) OR tat <= :now)");
  } else {
    set.push("tat = tat + :step");
    values[":step"] = step;
    values[":now_plus_burst"] = nowMicros + tolerance(limits.rate);
    conditions.push("tat > :now AND tat <= :now_plus_burst");
  }
  if (limits.cap !== undefined) {
    values[":cap"] = limits.cap;
    conditions.push("(attribute_not_exists(spent) OR spent < :cap)");
  }
  if (reservation) {
    names["#r"] = reservationPrefix + reservation.requestId;
    values[":r"] = stored(reservation);
    values[":estimate"] = reservation.estimate;
    values[":one"] = 1;
    values[":max"] = limits.maxInFlight;
    set.push("#r = :r");
    add.push("committed :estimate", "inflight :one");
    conditions.push("attribute_not_exists(#r)", "(attribute_not_exists(inflight) OR inflight < :max)");
    if (limits.cap !== undefined && limits.enforcement === "reserved") {
      values[":room"] = limits.cap - reservation.estimate;
      conditions.push("(attribute_not_exists(committed) OR committed <= :room OR committed = spent)");
    }
  }
  return {
    UpdateExpression: `SET ${set.join(", ")}${add.length > 0 ? ` ADD ${add.join(", ")}` : ""}`,
    ConditionExpression: conditions.join(" AND "),
    ...(reservation && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: values,
  };
}

function settlementExpression({ requestId, estimate, cost }: Settlement) {
  return {
    UpdateExpression: "REMOVE #r ADD spent :cost, committed :correction, inflight :minus_one",
    ConditionExpression: "attribute_exists(#r)",
    ExpressionAttributeNames: { "#r": reservationPrefix + requestId },
    ExpressionAttributeValues: { ":cost": cost, ":correction": cost - estimate, ":minus_one": -1 },
  };
}

function stored({ requestId: _requestId, ...rest }: Reservation) {
  return rest;
}

function spendingOf(item: Item | undefined): Spending {
  const number = (name: string) => Number(item?.[name] ?? 0);
  return {
    spent: number("spent"),
    committed: number("committed"),
    inflight: number("inflight"),
    tat: number("tat"),
    reservations: Object.entries(item ?? {})
      .filter(([name]) => name.startsWith(reservationPrefix))
      .map(
        ([name, value]) => ({ requestId: name.slice(reservationPrefix.length), ...(value as object) }) as Reservation,
      ),
  };
}
