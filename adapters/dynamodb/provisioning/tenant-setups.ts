// A tenant's setup in the table: the manifest's rows of what lies outside it, each held by one run at a time.
import { type DynamoDBDocumentClient, GetCommand, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantSetups } from "../../../domain/provisioning/tenant-setup.ts";
import type { OutsideStep } from "../../../domain/workspace/tenant.ts";
import { isUnchanged } from "../billing/customers.ts";
import { hasKey, transact, withRetries, written } from "../client.ts";
import { activeIndex, index, keys, table } from "../schema.ts";

/** The tenant is there, and the step is still to come. */
const isPending = "contains(setup_pending, :step) AND #status <> :deleted";

export function tenantSetups(client: DynamoDBDocumentClient, tableName: string): TenantSetups {
  const tenantCondition = (tenantId: string, step: OutsideStep) => ({
    TableName: tableName,
    Key: keys.tenant(tenantId),
    ConditionExpression: isPending,
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: { ":step": step, ":deleted": "deleted" } as Record<string, unknown>,
  });

  async function manifestRow(tenantId: string, step: OutsideStep): Promise<Record<string, unknown> | undefined> {
    const Key = keys.manifest(tenantId, step);
    const command = new GetCommand({ TableName: tableName, Key, ConsistentRead: true });
    return (await withRetries(() => client.send(command))).Item;
  }

  return {
    async claim(tenantId, step, { now, until }) {
      const hold = {
        TableName: tableName,
        Key: keys.manifest(tenantId, step),
        UpdateExpression:
          "SET kind = :kind, #state = :intended, intended_at = if_not_exists(intended_at, :at), claimed_until = :until " +
          "ADD attempts :one",
        ConditionExpression: "attribute_not_exists(claimed_until) OR claimed_until < :now",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: {
          ":kind": step,
          ":intended": "intended",
          ":at": new Date(now).toISOString(),
          ":until": until,
          ":now": now,
          ":one": 1,
        },
      };
      const failed = await transact(client, [{ ConditionCheck: tenantCondition(tenantId, step) }, { Update: hold }]);
      if (failed !== undefined) return failed === 0 ? "gone" : "taken";
      const row = await manifestRow(tenantId, step);
      return { until, isRepeat: Number(row?.attempts) > 1, resource: row?.resource as string | undefined };
    },

    async note(tenantId, step, { resource, until }) {
      const command = {
        TableName: tableName,
        Key: keys.manifest(tenantId, step),
        UpdateExpression: "SET #resource = :resource",
        ConditionExpression: "claimed_until = :until",
        ExpressionAttributeNames: { "#resource": "resource" },
        ExpressionAttributeValues: { ":resource": resource, ":until": until },
      };
      return written(() => client.send(new UpdateCommand(command)));
    },

    async done(tenantId, step, { resource, until, attributes, customer }) {
      const { ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues, ...tenant } = tenantCondition(
        tenantId,
        step,
      );
      const set = Object.entries(attributes);
      const failed = await transact(client, [
        {
          Update: {
            ...tenant,
            UpdateExpression: `SET ${set.map(([name]) => `#${name} = :${name}`).join(", ")} DELETE setup_pending :steps`,
            ConditionExpression,
            ExpressionAttributeNames: {
              ...ExpressionAttributeNames,
              ...Object.fromEntries(set.map(([name]) => [`#${name}`, name])),
            },
            ExpressionAttributeValues: {
              ...ExpressionAttributeValues,
              ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
              ":steps": new Set([step]),
            },
          },
        },
        {
          Update: {
            TableName: tableName,
            Key: keys.manifest(tenantId, step),
            UpdateExpression: "SET #state = :done, #resource = :resource REMOVE claimed_until",
            ConditionExpression: "claimed_until = :until",
            ExpressionAttributeNames: { "#state": "state", "#resource": "resource" },
            ExpressionAttributeValues: { ":done": "done", ":resource": resource, ":until": until },
          },
        },
        ...(customer ? [isUnchanged(tableName, customer)] : []),
      ]);
      if (failed !== undefined) throw new Error(`${step} of tenant ${tenantId} was not held any more when it was done`);
    },

    async resource(tenantId, step) {
      return (await manifestRow(tenantId, step))?.resource as string | undefined;
    },

    async restore(tenant) {
      const { tenant_id, owner_sub, status, created_at } = tenant;
      // A purge may have been quicker, and leaves nothing.
      const isThere = {
        TableName: tableName,
        Key: keys.tenant(tenant_id),
        ConditionExpression: "attribute_exists(pk)",
      };
      const since = tenant.deleted_at ?? tenant.suspended_at ?? created_at;
      const directory = {
        TableName: tableName,
        Item: { ...keys.directory(tenant_id), ...index.status(status, since, tenant_id), tenant_id },
        ConditionExpression: "attribute_not_exists(pk)",
      };
      await transact(client, [{ ConditionCheck: isThere }, { Put: directory }]);
      const owned = {
        TableName: tableName,
        Key: keys.ownedTenants(owner_sub),
        UpdateExpression: "SET #tenant = :at ADD owned :one",
        ConditionExpression: "attribute_not_exists(#tenant)",
        ExpressionAttributeNames: { "#tenant": `t#${tenant_id}` },
        ExpressionAttributeValues: { ":at": created_at, ":one": 1 },
      };
      await transact(client, [{ ConditionCheck: isThere }, { Update: owned }]);
    },

    async *unchecked(until) {
      const { gsi2_pk } = activeIndex.unchecked("", "");
      const query = {
        TableName: tableName,
        IndexName: table.activeIndex.name,
        KeyConditionExpression: "gsi2_pk = :pk AND gsi2_sk <= :until",
        ExpressionAttributeValues: { ":pk": gsi2_pk, ":until": `${until}#~` },
      };
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        for (const item of Items) {
          const tenantId = String(item.gsi2_sk).split("#")[1] ?? "";
          if (hasKey(item, keys.directory(tenantId))) yield tenantId;
        }
      }
    },

    async checked(tenantId) {
      const command = {
        TableName: tableName,
        Key: keys.directory(tenantId),
        UpdateExpression: "REMOVE gsi2_pk, gsi2_sk",
        ConditionExpression: "attribute_exists(gsi2_pk)",
      };
      await written(() => client.send(new UpdateCommand(command)));
    },
  };
}
