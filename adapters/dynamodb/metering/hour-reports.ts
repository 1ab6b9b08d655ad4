// Reports of hours in the table: a row for each reported hour, and the adjustments of corrections that came after the report.
import {
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { startOfHour } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type {
  Adjustment,
  FrozenHourReport,
  HourReport,
  HourReportStore,
  LateCorrections,
} from "../../../domain/metering/hour-report.ts";
import { creditDraw } from "../budget/credit-expressions.ts";
import { recordOf, transact, withRetries, written } from "../client.ts";
import { activeIndex, activeListings, adjustmentIndex, keys, table, unbilledIndex } from "../schema.ts";

/** A transaction has 100 items at most. The report, an adjustment for the rest and the credit are three of them. */
const maxAdjustments = 90;

const names = { "#value": "value", "#state": "state", "#hour": "hour" };

export function hourReportStore(client: DynamoDBDocumentClient, tableName: string): HourReportStore {
  const item = (tenantId: string, hour: string) => ({ TableName: tableName, Key: keys.report(tenantId, hour) });
  return {
    async get(tenantId, hour) {
      const command = new GetCommand({ ...item(tenantId, hour), ConsistentRead: true });
      const { Item } = await withRetries(() => client.send(command));
      if (!Item) return undefined;
      const { tenant_id, state, value } = Item as HourReport;
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

    async adjustments(tenantId) {
      const command = new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: "pk = :pk",
        // An adjustment that is still listed waits for its hour's rollup.
        FilterExpression: "NOT begins_with(gsi2_pk, :listed)",
        ExpressionAttributeValues: { ":pk": keys.carry(tenantId, "").pk, ":listed": activeListings.carry },
        ConsistentRead: true,
        Limit: maxAdjustments,
      });
      const { Items = [] } = await withRetries(() => client.send(command));
      return Items.map(adjustmentOf);
    },

    async freeze({ tenantId, hour, value, adjustments, rest, paidByCredit }: FrozenHourReport) {
      // An adjustment with the hour as its id comes from the hour's own report, which is frozen then.
      if (adjustments.some(({ id }) => id === hour)) return false;
      // A report of 0 has nothing to be billed. Workspaces on free credit have many of them.
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
      if (adjustments.length === 0 && !paidByCredit) return written(() => client.send(new UpdateCommand(Update)));
      const removals = adjustments.map(({ id, difference }) => ({
        Delete: {
          TableName: tableName,
          Key: keys.carry(tenantId, id),
          ConditionExpression: "difference = :difference",
          ExpressionAttributeValues: { ":difference": difference },
        },
      }));
      const { gsi2_pk, gsi2_sk, ...unlisted } = adjustmentItem({
        tenant_id: tenantId,
        id: hour,
        hour,
        difference: rest,
      });
      const restPut = rest < 0 ? [{ Put: { TableName: tableName, Item: unlisted } }] : [];
      const draw = paidByCredit
        ? [{ Update: { TableName: tableName, Key: keys.credit(tenantId), ...creditDraw(paidByCredit) } }]
        : [];
      return (await transact(client, [{ Update }, ...removals, ...restPut, ...draw])) === undefined;
    },
  };
}

export function lateCorrections(client: DynamoDBDocumentClient, tableName: string): LateCorrections {
  const item = ({ tenant_id, id }: Pick<Adjustment, "tenant_id" | "id">) => ({
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
          const adjustment = { tenant_id, id: rest.join("#") };
          const { pk: ownPk, sk: ownSk } = keys.carry(tenant_id, adjustment.id);
          // Index keys are attributes that every writer may set on its own rows.
          if (pk === ownPk && sk === ownSk) yield adjustment;
        }
      }
    },

    async get(adjustment) {
      const { Item } = await withRetries(() =>
        client.send(new GetCommand({ ...item(adjustment), ConsistentRead: true })),
      );
      return Item && adjustmentOf(Item);
    },

    async rolledUp(adjustment) {
      // The index lists the adjustment as unbilled now, since the tenant may have no later usage whose report takes it.
      const listing =
        adjustment.difference !== 0
          ? unbilledIndex(adjustment.tenant_id, { kind: "carry", id: adjustment.id })
          : undefined;
      const command = new UpdateCommand({
        ...item(adjustment),
        UpdateExpression: listing ? "SET gsi2_pk = :pk, gsi2_sk = :sk" : "REMOVE gsi2_pk, gsi2_sk",
        ConditionExpression: "attribute_exists(pk)",
        ...(listing && { ExpressionAttributeValues: { ":pk": listing.gsi2_pk, ":sk": listing.gsi2_sk } }),
      });
      await written(() => client.send(command));
    },
  };
}

/** An adjustment as it is stored. The index lists it until its hour's rollup is computed again. */
export function adjustmentItem(adjustment: Adjustment) {
  const { tenant_id, id, hour } = adjustment;
  return {
    ...keys.carry(tenant_id, id),
    ...adjustmentIndex(tenant_id, id),
    ...adjustment,
    expires_at: expiresAt("carry", startOfHour(hour)),
  };
}

function adjustmentOf(item: Record<string, unknown>): Adjustment {
  const { tenant_id, id, hour, difference } = recordOf<Adjustment>(item) as Adjustment;
  return { tenant_id, id, hour, difference };
}
