// The directory of tenants in the table: finds ids in the rows of slugs, profiles or statuses, and reads the tenants in one call.
import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { TenantDirectory } from "../../../domain/workspace/tenant-directory.ts";
import { batchGet } from "../batch.ts";
import { hasKey, withRetries } from "../client.ts";
import { listed } from "../listed.ts";
import { index, keys, table } from "../schema.ts";
import { tenantOf } from "./tenants.ts";

export function tenantDirectory(client: DynamoDBDocumentClient, tableName: string): TenantDirectory {
  /** Tenants in the order of the ids, without those that do not exist any more. */
  async function tenantsOf(ids: readonly string[]): Promise<Tenant[]> {
    const { item } = await batchGet(client, tableName, ids.map(keys.tenant));
    const found = ids.map((id) => item(keys.tenant(id))).filter((each) => each !== undefined);
    return found.map((each) => tenantOf(each));
  }

  const query = (input: object) =>
    withRetries(() => client.send(new QueryCommand({ TableName: tableName, ...input } as QueryCommand["input"])));

  return {
    async bySlug(slug) {
      const command = new GetCommand({ TableName: tableName, Key: keys.slugReservation(slug), ConsistentRead: true });
      const { Item } = await withRetries(() => client.send(command));
      return Item ? tenantsOf([String(Item.tenant_id)]) : [];
    },

    async byOwnerEmail(email) {
      const { gsi1_pk, gsi1_sk } = index.email(email);
      const { Items: profiles = [] } = await query({
        IndexName: table.index.name,
        KeyConditionExpression: "gsi1_pk = :pk AND gsi1_sk = :sk",
        ExpressionAttributeValues: { ":pk": gsi1_pk, ":sk": gsi1_sk },
      });
      const subs = profiles
        .map(({ sub }) => String(sub))
        .filter((sub, n) => hasKey(profiles[n] ?? {}, keys.profile(sub)));
      const owned = await Promise.all(
        subs.map(async (sub) => {
          const { pk, sk } = keys.membership(sub, "");
          const { Items = [] } = await query({
            KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
            ExpressionAttributeValues: { ":pk": pk, ":sk": sk },
          });
          return Items.filter(({ tenant_role }) => tenant_role === "owner").map(({ tenant_id }) => String(tenant_id));
        }),
      );
      return tenantsOf([...new Set(owned.flat())]);
    },

    async byStatus(status, { limit, after }) {
      const { gsi1_pk } = index.status(status, "", "");
      const [since = "", tenantId = ""] = after?.split("#") ?? [];
      const query = {
        TableName: tableName,
        IndexName: table.index.name,
        KeyConditionExpression: "gsi1_pk = :pk",
        ExpressionAttributeValues: { ":pk": gsi1_pk },
        ...(after !== undefined && {
          ExclusiveStartKey: { ...keys.directory(tenantId), ...index.status(status, since, tenantId) },
        }),
      };
      const isListed = (item: Record<string, unknown>) => hasKey(item, keys.directory(String(item.tenant_id)));
      const { items, isMore } = await listed(client, query, { limit, isListed });
      const found = await tenantsOf(items.map(({ tenant_id }) => String(tenant_id)));
      const next = isMore ? String(items.at(-1)?.gsi1_sk) : undefined;
      return { items: found.filter((tenant) => tenant.status === status), next };
    },
  };
}
