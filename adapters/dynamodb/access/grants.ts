// The store of people's grants.
import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { GrantChange, GrantRecord, GrantStore } from "../../../domain/access/grant.ts";
import { recordOf, transact, withRetries } from "../client.ts";
import { keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";

export function grantStore(client: DynamoDBDocumentClient, tableName: string): GrantStore {
  return {
    async get(tenantId, sub) {
      const Key = keys.grant(tenantId, sub);
      const { Item } = await withRetries(() =>
        client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true })),
      );
      return recordOf<GrantRecord>(Item);
    },

    async put(grant, change) {
      const { tenant_id, dev_sub } = grant;
      // The transaction checks the membership, so a removal at the same time leaves no grant behind.
      const failed = await transact(client, [
        {
          ConditionCheck: {
            TableName: tableName,
            Key: keys.membership(dev_sub, tenant_id),
            ConditionExpression: "attribute_exists(pk) AND (attribute_not_exists(#status) OR #status <> :removed)",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: { ":removed": "removed" },
          },
        },
        { Put: { TableName: tableName, Item: { ...keys.grant(tenant_id, dev_sub), ...grant }, ...asBefore(change) } },
        auditPut(tableName, change.entry),
      ]);
      return failed === 1 ? "stale" : failed === undefined;
    },

    async delete(tenantId, sub, change) {
      const Delete = { TableName: tableName, Key: keys.grant(tenantId, sub), ...asBefore(change) };
      return (await transact(client, [{ Delete }, auditPut(tableName, change.entry)])) === undefined;
    },

    async list(tenantId, { limit, after }) {
      const command = new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": keys.grant(tenantId, "").pk },
        ExclusiveStartKey: after === undefined ? undefined : keys.grant(tenantId, after),
        Limit: limit,
        ConsistentRead: true,
      });
      const { Items = [], LastEvaluatedKey } = await withRetries(() => client.send(command));
      const items = Items.map((item) => recordOf<GrantRecord>(item) as GrantRecord);
      return { items, next: LastEvaluatedKey && items.at(-1)?.dev_sub };
    },
  };
}

/** The condition that the stored grant is the one before the change. Each write of a grant has a different time. */
function asBefore({ before }: GrantChange) {
  if (!before) return { ConditionExpression: "attribute_not_exists(pk)" };
  const ExpressionAttributeValues = { ":before": before.updated_at };
  return { ConditionExpression: "updated_at = :before", ExpressionAttributeValues };
}
