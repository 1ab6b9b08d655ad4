// The outbox of the billing: a row for each reported hour, and the carries of what corrections changed after that.
import {
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { startOfHour } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { Carry, FrozenReport, LateCorrections, Report, ReportStore } from "../../../domain/metering/report.ts";
import { creditDraw } from "../budget/credit-expressions.ts";
import { recordOf, transact, withRetries, written } from "../client.ts";
import { activeIndex, activeListings, carryIndex, keys, table, unbilledIndex } from "../schema.ts";

/** A transaction has 100 items at most: the report itself, what is carried on and the credit are three. */
const carriesAtOnce = 90;

const names = { "#value": "value", "#state": "state", "#hour": "hour" };

export function reportStore(client: DynamoDBDocumentClient, tableName: string): ReportStore {
  const item = (tenantId: string, hour: string) => ({ TableName: tableName, Key: keys.report(tenantId, hour) });
  return {
    async get(tenantId, hour) {
      const command = new GetCommand({ ...item(tenantId, hour), ConsistentRead: true });
      const { Item } = await withRetries(() => client.send(command));
      if (!Item) return undefined;
      const { tenant_id, state, value } = Item as Report;
      return { tenant_id, hour, state, value };
    },

    async open(tenantId, hour) {
      const { "#value": _value, ...ExpressionAttributeNames } = names;
      const command = new UpdateCommand({
        ...item(tenantId, hour),
        UpdateExpression: "SET #state = :open, tenant_id = :tenant, #hour = :hour, expires_at = :expires",
        ConditionExpression: "attribute_not_exists(pk)",
        ExpressionAttributeNames,
        ExpressionAttributeValues: {
          ":open": "open",
          ":tenant": tenantId,
          ":hour": hour,
          ":expires": expiresAt("report", startOfHour(hour)),
        },
      });
      await written(() => client.send(command));
    },

    async carries(tenantId) {
      const command = new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: "pk = :pk",
        // One that is still listed has its rollup to come.
        FilterExpression: "NOT begins_with(gsi2_pk, :listed)",
        ExpressionAttributeValues: { ":pk": keys.carry(tenantId, "").pk, ":listed": activeListings.carry },
        ConsistentRead: true,
        Limit: carriesAtOnce,
      });
      const { Items = [] } = await withRetries(() => client.send(command));
      return Items.map(carryOf);
    },

    async freeze({ tenantId, hour, value, taken, rest, paidByCredit }: FrozenReport) {
      // The hour's own report could not go below zero: it is frozen, and one transaction cannot take and leave the same carry.
      if (taken.some(({ id }) => id === hour)) return false;
      // Of nothing there is nothing to be billed, and free workspaces have little else.
      const listing = value !== 0 ? unbilledIndex(tenantId, { kind: "report", hour }) : undefined;
      const Update = {
        ...item(tenantId, hour),
        UpdateExpression: `SET #value = :value, #state = :unsent, tenant_id = :tenant, #hour = :hour, expires_at = :expires${
          listing ? ", gsi2_pk = :gsi2_pk, gsi2_sk = :gsi2_sk" : ""
        }${paidByCredit ? ", credit_tokens = :credit_tokens, credit_value = :credit_value" : ""}`,
        ConditionExpression: "attribute_not_exists(#value)",
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: {
          ...(listing && { ":gsi2_pk": listing.gsi2_pk, ":gsi2_sk": listing.gsi2_sk }),
          ...(paidByCredit && { ":credit_tokens": paidByCredit.tokens, ":credit_value": paidByCredit.value }),
          ":value": value,
          ":unsent": "unsent",
          ":tenant": tenantId,
          ":hour": hour,
          ":expires": expiresAt("report", startOfHour(hour)),
        },
      };
      if (taken.length === 0 && !paidByCredit) return written(() => client.send(new UpdateCommand(Update)));
      const removals = taken.map(({ id, difference }) => ({
        Delete: {
          TableName: tableName,
          Key: keys.carry(tenantId, id),
          ConditionExpression: "difference = :difference",
          ExpressionAttributeValues: { ":difference": difference },
        },
      }));
      const { gsi2_pk, gsi2_sk, ...kept } = carryItem({ tenant_id: tenantId, id: hour, hour, difference: rest });
      const carriedOn = rest < 0 ? [{ Put: { TableName: tableName, Item: kept } }] : [];
      const draw = paidByCredit
        ? [{ Update: { TableName: tableName, Key: keys.credit(tenantId), ...creditDraw(paidByCredit) } }]
        : [];
      return (await transact(client, [{ Update }, ...removals, ...carriedOn, ...draw])) === undefined;
    },
  };
}

export function lateCorrections(client: DynamoDBDocumentClient, tableName: string): LateCorrections {
  const item = ({ tenant_id, id }: Pick<Carry, "tenant_id" | "id">) => ({
    TableName: tableName,
    Key: keys.carry(tenant_id, id),
  });
  return {
    async *of(shard) {
      const pages = paginateQuery(
        { client },
        {
          TableName: tableName,
          IndexName: table.activeIndex.name,
          KeyConditionExpression: `${table.activeIndex.partitionKey} = :pk`,
          ExpressionAttributeValues: { ":pk": activeIndex.carries(shard) },
        },
      );
      for await (const { Items = [] } of pages) {
        for (const { pk, sk, gsi2_sk } of Items) {
          const [tenant_id = "", ...rest] = String(gsi2_sk).split("#");
          const carry = { tenant_id, id: rest.join("#") };
          const { pk: ownPk, sk: ownSk } = keys.carry(tenant_id, carry.id);
          // Index keys are attributes that every writer may set on its own rows.
          if (pk === ownPk && sk === ownSk) yield carry;
        }
      }
    },

    async get(carry) {
      const { Item } = await withRetries(() => client.send(new GetCommand({ ...item(carry), ConsistentRead: true })));
      return Item && carryOf(Item);
    },

    async rolledUp(carry) {
      // It is listed to be billed, or taken back: the tenant may have no later usage whose report takes it.
      const listing =
        carry.difference !== 0 ? unbilledIndex(carry.tenant_id, { kind: "carry", id: carry.id }) : undefined;
      const command = new UpdateCommand({
        ...item(carry),
        UpdateExpression: listing ? "SET gsi2_pk = :pk, gsi2_sk = :sk" : "REMOVE gsi2_pk, gsi2_sk",
        ConditionExpression: "attribute_exists(pk)",
        ...(listing && { ExpressionAttributeValues: { ":pk": listing.gsi2_pk, ":sk": listing.gsi2_sk } }),
      });
      await written(() => client.send(command));
    },
  };
}

/** A carry as it is stored, listed until its hour's rollup is computed again. */
export function carryItem(carry: Carry) {
  const { tenant_id, id, hour } = carry;
  return {
    ...keys.carry(tenant_id, id),
    ...carryIndex(tenant_id, id),
    ...carry,
    expires_at: expiresAt("carry", startOfHour(hour)),
  };
}

function carryOf(item: Record<string, unknown>): Carry {
  const { tenant_id, id, hour, difference } = recordOf<Carry>(item) as Carry;
  return { tenant_id, id, hour, difference };
}
