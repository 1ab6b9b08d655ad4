// The store of callers' spending in a month, and of tenants' free credit. Each write is one conditional write to the caller's
// item or, for a tenant on free credit, one transaction over both items.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { creditTokensOf, type Reservation } from "../../../domain/budget/reservation.ts";
import type {
  AdmissionWrite,
  SettlementWrite,
  SpendingKey,
  SpendingState,
  SpendingStore,
  Written,
} from "../../../domain/budget/spending.ts";
import { isLastingConflict, once, transact, withRetries, written } from "../client.ts";
import { keys } from "../schema.ts";
import { creditAdmission, creditChange, creditOf, creditSettlement } from "./credit-expressions.ts";
import { guessedAdmission } from "./guessed-admission.ts";
import type { RateGuess } from "./rate-expression.ts";
import {
  admission,
  change,
  fill,
  type Item,
  moveIn,
  passing,
  settlement,
  spendingLifeSeconds,
  spendingOf,
  tombstone,
  tombstoneRemoval,
  type Update,
} from "./spending-expressions.ts";
import { SpendingMemory } from "./spending-memory.ts";

type SpendingStoreOptions = {
  client: DynamoDBDocumentClient;
  /** Sends a write once: a write without an answer may have taken effect, and its repeat would count twice. */
  sendsOnce?: DynamoDBDocumentClient;
  tableName: string;
  clock: () => number;
};

/** How a write is sent, and how often if another's transaction is in the way. */
type Sending = { via?: DynamoDBDocumentClient; attempts?: typeof once };

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
    // Both are awaited even if one fails, so that no read goes on after the invocation.
    await Promise.allSettled(reads);
    const [spending, credit] = await Promise.all(reads);
    return memory.remember(key, { spending: spendingOf(spending), ...(onCredit && { credit: creditOf(credit) }) });
  }

  /** One write to the caller's item alone. */
  async function update(
    key: SpendingKey,
    expressions: Update,
    { via = client, attempts }: Sending = {},
  ): Promise<Written> {
    try {
      const command = new UpdateCommand({
        ...spendingItem(key),
        ...expressions,
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      const { Attributes } = await withRetries(() => via.send(command), attempts);
      return { written: true, ...memory.remember(key, { spending: spendingOf(Attributes) }) };
    } catch (error) {
      return refusedBy(error, key);
    }
  }

  /** Settles without asking for the item, which may hold many reservations: the state after it is reckoned. */
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

  /** The state that a failed condition met. @throws every other error */
  function refusedBy(error: unknown, key: SpendingKey): Written {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const standing = error.Item && unmarshall(error.Item);
    return { written: false, ...memory.remember(key, { spending: spendingOf(standing) }) };
  }

  /** Writes both items or neither. A transaction says little of why it failed, so both are read for what is true now. */
  async function transactBoth(
    key: SpendingKey,
    ofSpending: Update,
    ofCredit: Update,
    { via = client, attempts }: Sending = {},
  ): Promise<Written> {
    const items = [
      { Update: { ...spendingItem(key), ...ofSpending } },
      { Update: { ...creditItem(key), ...ofCredit } },
    ];
    const isWritten = (await transact(via, items, attempts)) === undefined;
    return { written: isWritten, ...(await read(key, { onCredit: true })) };
  }

  /** All callers of a tenant share its credit: a write that others' transactions stop is refused as others' state says. */
  async function updateBoth(key: SpendingKey, ofSpending: Update, ofCredit: Update): Promise<Written> {
    try {
      return await transactBoth(key, ofSpending, ofCredit);
    } catch (error) {
      if (!isLastingConflict(error)) throw error;
      return { written: false, ...(await read(key, { onCredit: true })) };
    }
  }

  function changed(key: SpendingKey, from: Reservation, to: Reservation, expressions: Update): Promise<Written> {
    if (creditTokensOf(to) === 0) return update(key, expressions);
    return updateBoth(key, expressions, creditChange(from, to));
  }

  /** One write of an admission, sent once: guessed-admission.ts repeats it. */
  function write(
    { key, limits, ticket }: AdmissionWrite,
    reservation: Reservation | undefined,
    guess: RateGuess,
    { credit }: SpendingState,
  ): Promise<Written> {
    if (!reservation) return update(key, passing(limits, guess), { attempts: once });
    const sending = { via: ticket ? client : sendsOnce, attempts: once };
    const expressions = ticket
      ? fill({ key, limits, from: ticket, to: reservation })
      : admission({ key, limits }, reservation, guess);
    if (creditTokensOf(reservation) === 0) return update(key, expressions, sending);
    return transactBoth(key, expressions, creditAdmission(key, reservation, credit?.granted ?? 0), sending);
  }

  return {
    read,
    admit: guessedAdmission({ memory, read, write, clock }),
    change: (write) => changed(write.key, write.from, write.to, change(write)),
    moveIn: (write) => changed(write.key, write.from, write.to, moveIn(write)),

    async settle({ key, reservation, cost, tokens }) {
      const expressions = settlement({ reservation, cost });
      if (creditTokensOf(reservation) === 0) return settleAlone({ key, reservation, cost }, expressions);
      const settled = await updateBoth(key, expressions, creditSettlement(reservation, tokens));
      // A credit that is gone was purged with its tenant: the caller is settled all the same.
      const isDrawn = settled.credit?.reservations.some(({ requestId }) => requestId === reservation.requestId);
      return settled.written || isDrawn ? settled : update(key, expressions);
    },

    putTombstone(key, put) {
      return update(key, tombstone(key, put, Math.floor(clock() / 1000) + spendingLifeSeconds));
    },

    async removeTombstone(key, requestId) {
      await written(() => client.send(new UpdateCommand({ ...spendingItem(key), ...tombstoneRemoval(requestId) })));
    },
  };
}
