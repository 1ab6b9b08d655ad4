// The store of callers' spending in a month, and of tenants' free credit. Each write is one conditional write to the caller's
// item or, for a tenant on free credit, one transaction over both items.
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { creditTokensOf, type Reservation } from "../../../domain/budget/reservation.ts";
import type {
  AdmissionWrite,
  SettlementWrite,
  SpendingKey,
  SpendingState,
  SpendingStore,
  Written,
} from "../../../domain/budget/spending.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { together } from "../../../domain/kernel/together.ts";
import { isLastingConflict, itemMetBy, once, transact, withRetries } from "../client.ts";
import { rowsOf } from "../rows.ts";
import { ownerAllowances } from "./allowances.ts";
import { creditRecord } from "./credit.record.ts";
import { creditAdmission, creditChange, creditOf, creditSettlement } from "./credit-expressions.ts";
import { spendingRecord } from "./spending.record.ts";
import {
  admission,
  change,
  moveIn,
  settlement,
  sliceDrawn,
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
  const rows = rowsOf(client, tableName);
  const spendingItem = (key: SpendingKey) => ({
    TableName: tableName,
    Key: spendingRecord.key({ tenant_id: key.tenantId, caller_id: key.callerId, month: key.month }),
  });
  const creditItem = ({ tenantId }: SpendingKey) => ({
    TableName: tableName,
    Key: creditRecord.key({ tenant_id: tenantId }),
  });

  async function read(key: SpendingKey, { onCredit }: { onCredit: boolean }): Promise<SpendingState> {
    const reads = [rows.get(spendingItem(key).Key), onCredit ? rows.get(creditItem(key).Key) : undefined] as const;
    const [spending, credit] = await together(reads);
    return memory.remember(key, { spending: spendingOf(spending), ...(onCredit && { credit: creditOf(credit) }) });
  }

  /** Updates the caller's item alone, without the tenant's credit. */
  async function update(
    key: SpendingKey,
    expressions: Update,
    { via = client, attempts, settled }: Sending & { settled?: Omit<SettlementWrite, "tokens"> } = {},
  ): Promise<Written> {
    const command = new UpdateCommand({
      ...spendingItem(key),
      ...expressions,
      // A settlement does not ask for the item, which may hold many reservations: the state after it is reckoned.
      ...(!settled && { ReturnValues: "ALL_NEW" }),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    try {
      const { Attributes } = await withRetries(() => via.send(command), attempts);
      if (settled) return { written: true, spending: memory.settle(settled) };
      return { written: true, ...memory.remember(key, { spending: spendingOf(Attributes) }) };
    } catch (error) {
      return { written: false, ...memory.remember(key, { spending: spendingOf(itemMetBy(error)) }) };
    }
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

  /** The expressions of an admission, and the client that sends it: a ticket and a turn may be sent again, since they count once or a turn too many. */
  async function admit(write: AdmissionWrite): Promise<Written> {
    const { key, reservation, ticket, creditGuards } = write;
    const expressions = admission(write, spendingRecord.expiresAt(clock()));
    const sending = { via: reservation && !ticket ? sendsOnce : client, attempts: once };
    if (!reservation || creditGuards.length === 0) return update(key, expressions, sending);
    return transactBoth(key, expressions, creditAdmission(key, reservation, creditGuards), sending);
  }

  return {
    read,
    lastSeen: (key) => memory.lastSeen(key),

    async admit(write) {
      try {
        return await admit(write);
      } catch (error) {
        if (isLastingConflict(error)) return "conflict";
        throw error;
      }
    },

    change: (write) => changed(write.key, write.from, write.to, change(write)),
    moveIn: (write) => changed(write.key, write.from, write.to, moveIn(write)),

    async settle({ key, tokens, ...settling }) {
      const { reservation, cost } = settling;
      const expressions = settlement(settling);
      if (creditTokensOf(reservation) === 0) {
        return update(key, expressions, { settled: { key, reservation, cost } });
      }
      const settled = await updateBoth(key, expressions, creditSettlement(reservation, tokens));
      // A credit that is gone was purged with its tenant: the caller is settled all the same.
      const isDrawn = settled.credit?.reservations.some(({ requestId }) => requestId === reservation.requestId);
      return settled.written || isDrawn ? settled : update(key, expressions);
    },

    async draw(asked) {
      const counted = await ownerAllowances(rows).count(asked);
      if (!counted.drawn) return counted;
      const drawn = sliceDrawn(asked, counted.slice, spendingRecord.expiresAt(clock()));
      // The write is sent once, unless another transaction stopped it, since a slice that the caller had twice would be counted once. If no
      // answer comes, the admission looks whether the caller has the slice.
      try {
        await update(asked.key, drawn, { via: sendsOnce });
        return counted;
      } catch (problem) {
        if (!(problem instanceof Refusal)) throw problem;
        return { ...counted, problem };
      }
    },

    putTombstone(key, put) {
      return update(key, tombstone(key, put, spendingRecord.expiresAt(clock())));
    },

    async removeTombstone(key, requestId) {
      await rows.update(spendingItem(key).Key, tombstoneRemoval(requestId));
    },
  };
}
