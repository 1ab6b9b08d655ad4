// What each caller spent, reserved and has in flight in a month, and what is left of a tenant's free credit. Each is one
// item, changed by one conditional write at a time.
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { AdmissionWrite, SpendingKey, SpendingStore } from "../../domain/admission.ts";
import type { Reservation } from "../../domain/spending/budget.ts";
import { conditionFailed, send, transact } from "./client.ts";
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

export function spendingStore(client: DynamoDBDocumentClient, tableName: string): SpendingStore {
  const spendingItem = (key: SpendingKey) => ({
    TableName: tableName,
    Key: keys.spending(key.tenantId, key.callerId, key.month),
  });
  const creditItem = ({ tenantId }: SpendingKey) => ({ TableName: tableName, Key: keys.credit(tenantId) });

  /** For callers who pay: one write. */
  async function admitAlone(write: AdmissionWrite) {
    try {
      const update = { ...spendingItem(write.key), ...admissionExpression(write) } as const;
      const command = new UpdateCommand({
        ...update,
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      const { Attributes } = await send(() => client.send(command));
      return { admitted: true, spending: spendingOf(Attributes), credit: undefined };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const old = error.Item && unmarshall(error.Item);
      return { admitted: holds(old, write.reservation), spending: spendingOf(old), credit: undefined };
    }
  }

  /** On free credit: the caller's item and the tenant's credit together, or neither. */
  async function admitOnCredit(write: AdmissionWrite, reservation: Reservation) {
    const update = { ...spendingItem(write.key), ...admissionExpression(write) };
    const draw = { ...creditItem(write.key), ...creditAdmission(reservation) };
    const failed = await transact(client, [{ Update: update }, { Update: draw }]);
    // A transaction says only why it failed, and only of the items whose condition did: both are read for what is true now.
    const reads = [read(spendingItem(write.key)), read(creditItem(write.key))] as const;
    // If one fails, the other is not to go on when the invocation is over.
    await Promise.allSettled(reads);
    const [spending, credit] = await Promise.all(reads);
    return {
      admitted: failed === undefined || holds(spending, reservation),
      spending: spendingOf(spending),
      credit: creditOf(credit),
    };
  }

  async function read(item: { TableName: string; Key: Item }): Promise<Item | undefined> {
    const { Item } = await send(() => client.send(new GetCommand({ ...item, ConsistentRead: true })));
    return Item;
  }

  /** Does nothing if the reservation is gone: this settlement, or a reclaim of it, took effect before. */
  async function settleItem(update: ConstructorParameters<typeof UpdateCommand>[0]): Promise<void> {
    try {
      await send(() => client.send(new UpdateCommand(update)));
    } catch (error) {
      if (!conditionFailed(error)) throw error;
    }
  }

  return {
    admit(write) {
      const { reservation } = write;
      return reservation?.creditTokens === undefined ? admitAlone(write) : admitOnCredit(write, reservation);
    },

    async settle({ key, reservation, cost, tokens }) {
      // The spending item comes last: as long as its reservation stands, a reclaim repeats the whole.
      if (reservation.creditTokens !== undefined) {
        await settleItem({ ...creditItem(key), ...creditSettlement(reservation, tokens) });
      }
      await settleItem({ ...spendingItem(key), ...settlementExpression(reservation, cost) });
    },

    async noteActiveCaller({ tenantId, callerId, month }, now) {
      const expires_at = Math.floor(now / 1000) + spendingLifeSeconds;
      const Item = {
        ...keys.activeCaller(tenantId, callerId, month),
        tenant_id: tenantId,
        caller_id: callerId,
        expires_at,
      };
      await send(() => client.send(new PutCommand({ TableName: tableName, Item })));
    },
  };
}

/** Our own reservation is there: the write took effect and its answer was lost. */
function holds(item: Item | undefined, reservation: Reservation | undefined): boolean {
  return item !== undefined && reservation !== undefined && reservationName(reservation) in item;
}
