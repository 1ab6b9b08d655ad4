// What each caller spent, reserved and has in flight in a month, and what is left of a tenant's free credit. Each is one
// item, changed by one conditional write at a time.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { microsOf, tolerance } from "../../domain/spending/rate-limit.ts";
import type { Reservation } from "../../domain/spending/reservation.ts";
import type { AdmissionResult, AdmissionWrite, SpendingKey, SpendingStore } from "../../domain/spending/spending.ts";
import { type BucketGuess, BucketMemory, isWrongGuess } from "./bucket-memory.ts";
import { isLastingConflict, transact, withRetries, written } from "./client.ts";
import { keys } from "./schema.ts";
import {
  admissionExpression,
  creditAdmission,
  creditOf,
  creditSettlement,
  type Item,
  reservationName,
  settlementExpression,
  spendingLifeSeconds,
  spendingOf,
} from "./spending-expressions.ts";

/** Others can turn each guess wrong; after these many the state is returned as it is. */
const maxGuesses = 5;

export function spendingStore(client: DynamoDBDocumentClient, tableName: string, clock: () => number): SpendingStore {
  const buckets = new BucketMemory();
  const spendingItem = (key: SpendingKey) => ({
    TableName: tableName,
    Key: keys.spending(key.tenantId, key.callerId, key.month),
  });
  const creditItem = ({ tenantId }: SpendingKey) => ({ TableName: tableName, Key: keys.credit(tenantId) });

  function attempt(write: AdmissionWrite, guess: BucketGuess): Promise<AdmissionResult> {
    const { reservation, needsCredit } = write;
    if (reservation?.creditTokens !== undefined) return admitOnCredit(write, guess, reservation);
    return needsCredit && !reservation ? admitUnreserved(write, guess) : admitAlone(write, guess);
  }

  /** On free credit, for a call that draws nothing: to read that some is left is enough. */
  async function admitUnreserved(write: AdmissionWrite, guess: BucketGuess): Promise<AdmissionResult> {
    const credit = creditOf(await read(creditItem(write.key)));
    if (credit.spent < credit.granted) return { ...(await admitAlone(write, guess)), credit };
    return { admitted: false, spending: spendingOf(await read(spendingItem(write.key))), credit };
  }

  /** For callers who pay: one write. */
  async function admitAlone(write: AdmissionWrite, guess: BucketGuess): Promise<AdmissionResult> {
    try {
      const update = { ...spendingItem(write.key), ...admissionExpression(write, guess) } as const;
      const command = new UpdateCommand({
        ...update,
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      const { Attributes } = await withRetries(() => client.send(command));
      return { admitted: true, spending: spendingOf(Attributes), credit: undefined };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const old = error.Item && unmarshall(error.Item);
      return { admitted: holds(old, write.reservation), spending: spendingOf(old), credit: undefined };
    }
  }

  /** On free credit: the caller's item and the tenant's credit together, or neither. */
  async function admitOnCredit(
    write: AdmissionWrite,
    guess: BucketGuess,
    reservation: Reservation,
  ): Promise<AdmissionResult> {
    const update = { ...spendingItem(write.key), ...admissionExpression(write, guess) };
    const draw = { ...creditItem(write.key), ...creditAdmission(reservation) };
    const isWritten = await transact(client, [{ Update: update }, { Update: draw }]).then(
      (failed) => failed === undefined,
      (error) => {
        // All callers of the tenant share the credit. Who is always too late is refused as others' state says, not by an outage.
        if (isLastingConflict(error)) return false;
        throw error;
      },
    );
    // A transaction says only why it failed, and only of the items whose condition did: both are read for what is true now.
    const reads = [read(spendingItem(write.key)), read(creditItem(write.key))] as const;
    // If one fails, the other is not to go on when the invocation is over.
    await Promise.allSettled(reads);
    const [spending, credit] = await Promise.all(reads);
    return {
      admitted: isWritten || holds(spending, reservation),
      spending: spendingOf(spending),
      credit: creditOf(credit),
    };
  }

  async function read(item: { TableName: string; Key: Item }): Promise<Item | undefined> {
    const { Item } = await withRetries(() => client.send(new GetCommand({ ...item, ConsistentRead: true })));
    return Item;
  }

  /**
   * Says that the caller has a spending item in this month. Written before the instance's first admission of the caller, so
   * that no reservation stands without it, even if the caller never comes back.
   */
  async function noteActiveCaller(key: SpendingKey): Promise<void> {
    if (buckets.knows(key)) return;
    const { tenantId, callerId, month } = key;
    const expires_at = Math.floor(clock() / 1000) + spendingLifeSeconds;
    const Item = {
      ...keys.activeCaller(tenantId, callerId, month),
      tenant_id: tenantId,
      caller_id: callerId,
      expires_at,
    };
    await withRetries(() => client.send(new PutCommand({ TableName: tableName, Item })));
    buckets.remember(key, 0);
  }

  /** Does nothing if the reservation is gone: this settlement, or a reclaim of it, took effect before. */
  async function settleItem(update: ConstructorParameters<typeof UpdateCommand>[0]): Promise<void> {
    await written(() => client.send(new UpdateCommand(update)));
  }

  return {
    async admit(write) {
      const { key, limits } = write;
      await noteActiveCaller(key);
      for (let guesses = 1, nowMicros = write.nowMicros; ; guesses++, nowMicros = microsOf(clock())) {
        // With a refill faster than the store, others can turn each guess wrong; the longer it takes, the wider the overlap.
        const slackMicros = Math.min(tolerance(limits.rate), Math.max(0, guesses - 1) * (nowMicros - write.nowMicros));
        const guess = { form: buckets.formOf(key, nowMicros), slackMicros, nowMicros };
        const result = await attempt(write, guess);
        const { tat } = result.spending;
        buckets.remember(key, tat);
        const hasRoom = tat <= microsOf(clock()) + tolerance(limits.rate);
        if (result.admitted || guesses === maxGuesses || !hasRoom || !isWrongGuess(guess, tat)) return result;
      }
    },

    async settle({ key, reservation, cost, tokens }) {
      // The spending item comes last: as long as its reservation stands, a reclaim repeats the whole.
      if (reservation.creditTokens !== undefined) {
        await settleItem({ ...creditItem(key), ...creditSettlement(reservation, tokens) });
      }
      await settleItem({ ...spendingItem(key), ...settlementExpression(reservation, cost) });
    },
  };
}

/** Our own reservation is there: the write took effect and its answer was lost. */
function holds(item: Item | undefined, reservation: Reservation | undefined): boolean {
  return item !== undefined && reservation !== undefined && reservationName(reservation) in item;
}
