// What each caller spent, reserved and has in flight in a month, and what is left of a tenant's free credit. Each write is one
// conditional write to the caller's item, or for a tenant on free credit one transaction over both items.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { creditTokensOf, type Reservation } from "../../../domain/budget/reservation.ts";
import {
  nothingSpent,
  type PassWrite,
  type SettlementWrite,
  type SpendingKey,
  type SpendingState,
  type SpendingStore,
  type Written,
} from "../../../domain/budget/spending.ts";
import { freeCreditTokens } from "../../../domain/workspace/tenant.ts";
import { isLastingConflict, transact, withRetries, written } from "../client.ts";
import { keys } from "../schema.ts";
import { creditAdmission, creditChange, creditOf, creditSettlement } from "./credit-expressions.ts";
import { guessed, type RateGuess } from "./rate-guess.ts";
import {
  admission,
  burial,
  change,
  fill,
  type Item,
  moveIn,
  passing,
  removal,
  settlement,
  spendingLifeSeconds,
  spendingOf,
  type Update,
} from "./spending-expressions.ts";
import { SpendingMemory } from "./spending-memory.ts";

type SpendingStoreOptions = {
  client: DynamoDBDocumentClient;
  /** Sends a write once: what is not answered may have taken effect, and a repeat of it too. */
  sendsOnce?: DynamoDBDocumentClient;
  tableName: string;
  clock: () => number;
};

export function spendingStore({ client, sendsOnce = client, tableName, clock }: SpendingStoreOptions): SpendingStore {
  const memory = new SpendingMemory(clock);
  const spendingItem = (key: SpendingKey) => ({
    TableName: tableName,
    Key: keys.spending(key.tenantId, key.callerId, key.month),
  });
  const creditItem = ({ tenantId }: SpendingKey) => ({ TableName: tableName, Key: keys.credit(tenantId) });

  async function get(item: { TableName: string; Key: Item }): Promise<Item | undefined> {
    const { Item } = await withRetries(() => client.send(new GetCommand({ ...item, ConsistentRead: true })));
    return Item;
  }

  async function read(key: SpendingKey, { onCredit }: { onCredit: boolean }): Promise<SpendingState> {
    const reads = [get(spendingItem(key)), onCredit ? get(creditItem(key)) : undefined] as const;
    // If one fails, the other is not to go on when the invocation is over.
    await Promise.allSettled(reads);
    const [spending, credit] = await Promise.all(reads);
    return memory.remember(key, { spending: spendingOf(spending), ...(onCredit && { credit: creditOf(credit) }) });
  }

  /** One write to the caller's item alone. */
  async function update(key: SpendingKey, expressions: Update, via = client): Promise<Written> {
    try {
      const command = new UpdateCommand({
        ...spendingItem(key),
        ...expressions,
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      const { Attributes } = await withRetries(() => via.send(command));
      return { written: true, ...memory.remember(key, { spending: spendingOf(Attributes) }) };
    } catch (error) {
      return refusedBy(error, key);
    }
  }

  /** Nobody needs the item after it, which may hold many reservations: what it is by then is reckoned. */
  async function settleAlone(settled: Omit<SettlementWrite, "tokens">, expressions: Update): Promise<Written> {
    const { key } = settled;
    try {
      const command = new UpdateCommand({
        ...spendingItem(key),
        ...expressions,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      await withRetries(() => client.send(command));
      return { written: true, spending: memory.settle(settled) };
    } catch (error) {
      return refusedBy(error, key);
    }
  }

  /** The state that a condition met. @throws every other error */
  function refusedBy(error: unknown, key: SpendingKey): Written {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const standing = error.Item && unmarshall(error.Item);
    return { written: false, ...memory.remember(key, { spending: spendingOf(standing) }) };
  }

  /** Both items together, or neither. A transaction says little of why it failed, so both are read for what is true now. */
  async function updateBoth(key: SpendingKey, ofSpending: Update, ofCredit: Update, via = client): Promise<Written> {
    const items = [
      { Update: { ...spendingItem(key), ...ofSpending } },
      { Update: { ...creditItem(key), ...ofCredit } },
    ];
    const isWritten = await transact(via, items).then(
      (failed) => failed === undefined,
      (error) => {
        // All callers of the tenant share the credit. Who is always too late is refused as others' state says, not by an outage.
        if (isLastingConflict(error)) return false;
        throw error;
      },
    );
    return { written: isWritten, ...(await read(key, { onCredit: true })) };
  }

  function changed(key: SpendingKey, from: Reservation, to: Reservation, expressions: Update): Promise<Written> {
    if (creditTokensOf(to) === 0) return update(key, expressions);
    const isFirst = creditTokensOf(from) === 0;
    return updateBoth(key, expressions, isFirst ? creditAdmission(key, to, grantedOf(key)) : creditChange(from, to));
  }

  /** What the tenant was granted, as this instance saw it last, or what every tenant is granted. */
  const grantedOf = (key: SpendingKey) => memory.lastSeen(key)?.credit?.granted ?? freeCreditTokens;

  async function pass({ onCredit, ...write }: PassWrite): Promise<Written> {
    const { key, limits } = write;
    const state = onCredit ? await read(key, { onCredit }) : undefined;
    if (state?.credit && state.credit.spent >= state.credit.granted) return { ...state, written: false };
    const attempt = (guess: RateGuess) =>
      update(key, passing(limits, guess)).catch(async (error) => {
        // The same caller's messages are transactions, if they are on credit.
        if (!isLastingConflict(error)) throw error;
        return { written: false, ...(await read(key, { onCredit: false })) };
      });
    return { ...(await atRate(write, attempt)), ...(state?.credit && { credit: state.credit }) };
  }

  function atRate(
    { key, limits, hasFreshLimits = false, nowMicros }: Omit<PassWrite, "onCredit">,
    write: (guess: RateGuess) => Promise<Written>,
  ): Promise<Written> {
    const { tat: lastTat, tatRate: lastRate } = memory.lastSeen(key)?.spending ?? nothingSpent;
    return guessed({ rate: limits.rate, isFresh: hasFreshLimits, nowMicros, lastTat, lastRate, clock }, write);
  }

  return {
    lastSeen: (key) => memory.lastSeen(key),
    read,
    pass,

    admit({ reservation, ...write }) {
      const { key, limits } = write;
      return atRate(write, (guess) => {
        const expressions = admission({ key, limits, reservation }, guess);
        if (creditTokensOf(reservation) === 0) return update(key, expressions, sendsOnce);
        return updateBoth(key, expressions, creditAdmission(key, reservation, grantedOf(key)), sendsOnce);
      });
    },

    fill: (write) => changed(write.key, write.from, write.to, fill(write)),
    change: (write) => changed(write.key, write.from, write.to, change(write)),
    moveIn: (write) => changed(write.key, write.from, write.to, moveIn(write)),

    async settle({ key, reservation, cost, tokens }) {
      const expressions = settlement({ reservation, cost });
      if (creditTokensOf(reservation) === 0) return settleAlone({ key, reservation, cost }, expressions);
      const settled = await updateBoth(key, expressions, creditSettlement(reservation, tokens));
      // A credit that is gone went with its tenant: the caller is settled all the same.
      const isDrawn = settled.credit?.reservations.some(({ requestId }) => requestId === reservation.requestId);
      return settled.written || isDrawn ? settled : update(key, expressions);
    },

    entomb(key, tombstone) {
      return update(key, burial(key, tombstone, Math.floor(clock() / 1000) + spendingLifeSeconds));
    },

    async removeTombstone(key, requestId) {
      await written(() => client.send(new UpdateCommand({ ...spendingItem(key), ...removal(requestId) })));
    },
  };
}
