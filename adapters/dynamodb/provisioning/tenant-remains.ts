// The rows of a tenant in the table, found without a scan: by its own partitions, by the index that lists its people and keys, by
// its months and hours, and by the index of active callers. docs/storage.md names the rows that stay.
import { DeleteCommand, type DynamoDBDocumentClient, paginateQuery, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import pMap from "p-map";
import { hourMs, hourOf, monthOf, nextMonth } from "../../../domain/kernel/period.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import type { ManifestEntry, TenantRemains } from "../../../domain/provisioning/purge.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { hasKey, transact, withRetries, written } from "../client.ts";
import { activeIndex, index, type Key, keys, type RecordKind, table } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { slotAttribute } from "./slots.ts";

type Item = Record<string, unknown>;

/** Calls at once for one tenant. */
const concurrency = 16;
/** The ledger lives 45 days after its hour. */
const ledgerHours = 46 * 24;

export function tenantRemains(client: DynamoDBDocumentClient, tableName: string): TenantRemains {
  async function* query(pk: string, { sk, by }: { sk?: string; by?: "index" | "activeIndex" } = {}) {
    const { partitionKey, sortKey } = by ? table[by] : table;
    const pages = paginateQuery(
      { client },
      {
        TableName: tableName,
        ...(by && { IndexName: table[by].name }),
        KeyConditionExpression: `${partitionKey} = :pk${sk === undefined ? "" : ` AND begins_with(${sortKey}, :sk)`}`,
        ExpressionAttributeValues: { ":pk": pk, ...(sk !== undefined && { ":sk": sk }) },
        ...(by === undefined && { ConsistentRead: true }),
      },
    );
    for await (const { Items = [] } of pages) yield* Items;
  }

  async function list(pk: string, options?: Parameters<typeof query>[1]): Promise<Item[]> {
    return withRetries(async () => {
      const items: Item[] = [];
      for await (const item of query(pk, options)) items.push(item);
      return items;
    });
  }

  /** @returns how many of the rows there were */
  async function removeKeys(found: readonly Key[]): Promise<number> {
    const removed = await pMap(
      found,
      async ({ pk, sk }) => {
        const command = new DeleteCommand({ TableName: tableName, Key: { pk, sk }, ReturnValues: "ALL_OLD" });
        return (await withRetries(() => client.send(command))).Attributes ? 1 : 0;
      },
      { concurrency },
    );
    return removed.reduce<number>((sum, one) => sum + one, 0);
  }

  async function removePartitions(pks: readonly string[]): Promise<number> {
    const counts = await pMap(pks, async (pk) => removeKeys((await list(pk)) as Key[]), { concurrency: 4 });
    return counts.reduce((sum, one) => sum + one, 0);
  }

  async function membershipsIn(tenantId: string): Promise<Item[]> {
    const { gsi1_pk, gsi1_sk: sk } = index.member(tenantId, "");
    const listed = await list(gsi1_pk, { sk, by: "index" });
    return listed.filter((item) => hasKey(item, keys.membership(String(item.sub), tenantId)));
  }

  /** Removes every row of the people who are gone, except the membership by which a repeat finds them. */
  async function forgetPeople(
    tenantId: string,
    subs: readonly string[],
  ): Promise<{ user: number; ownedTenants: number }> {
    const counts = await pMap(
      subs,
      async (sub) => {
        const items = (await list(keys.profile(sub).pk)) as Key[];
        return removeKeys(items.filter((item) => !hasKey(item, keys.membership(sub, tenantId))));
      },
      { concurrency: 4 },
    );
    const user = counts.reduce((sum, one) => sum + one, 0);
    return { user, ownedTenants: await removeKeys(subs.map((sub) => keys.ownedTenants(sub))) };
  }

  /** Removes the choices of the tenant as active workspace, then the memberships by which the choices are found. */
  async function removePeople(tenantId: string): Promise<number> {
    const own = await membershipsIn(tenantId);
    const active = await pMap(
      own,
      async ({ sub }) => {
        const { pk, sk } = keys.activeTenant(String(sub), "");
        const chosen = (await list(pk, { sk })).filter(({ tenant_id }) => tenant_id === tenantId);
        const removals = chosen.map(({ pk, sk }) => {
          const of = { TableName: tableName, Key: { pk, sk }, ConditionExpression: "tenant_id = :tenant" };
          return new DeleteCommand({ ...of, ExpressionAttributeValues: { ":tenant": tenantId } });
        });
        return (await pMap(removals, (command) => written(() => client.send(command)))).filter(Boolean).length;
      },
      { concurrency },
    );
    return active.reduce((sum, one) => sum + one, 0) + (await removeKeys(own as Key[]));
  }

  /** Removes the rows that hang on the keys, then the keys by which those rows are found. */
  async function removeApiKeys(tenantId: string) {
    const { gsi1_pk, gsi1_sk: sk } = index.apiKey(tenantId, "");
    const listed = await list(gsi1_pk, { sk, by: "index" });
    const own = listed.filter((item) => item.tenant_id === tenantId && hasKey(item, keys.apiKey(String(item.key_id))));
    return {
      lastUse: await removeKeys(own.map(({ key_id }) => keys.lastUse(String(key_id)))),
      activeKeys: await removePartitions([keys.activeKeys(tenantId, "").pk]),
      apiKey: await removeKeys(own as Key[]),
    };
  }

  async function removeSpending(tenantId: string, months: readonly string[]): Promise<number> {
    const counts = await pMap(
      months,
      async (month) => {
        const pk = activeIndex.activeCallers(month, shardOf(tenantId));
        const listed = await list(pk, { sk: `${tenantId}#`, by: "activeIndex" });
        const own = listed.filter((item) => {
          const callerId = String(item.gsi2_sk).slice(tenantId.length + 1);
          return hasKey(item, keys.spending(tenantId, callerId, month));
        });
        return removeKeys(own as Key[]);
      },
      { concurrency: 4 },
    );
    return counts.reduce((sum, one) => sum + one, 0);
  }

  async function givePlaceBack({ tenant_id, owner_sub, billing_slot }: Tenant): Promise<number> {
    const slot = billing_slot === undefined ? undefined : slotAttribute(billing_slot);
    const command = new UpdateCommand({
      TableName: tableName,
      Key: keys.ownedTenants(owner_sub),
      UpdateExpression: `REMOVE #tenant${slot ? ", #slot" : ""} ADD owned :minus_one`,
      ConditionExpression: "attribute_exists(#tenant)",
      ExpressionAttributeNames: { "#tenant": `t#${tenant_id}`, ...(slot && { "#slot": slot }) },
      ExpressionAttributeValues: { ":minus_one": -1 },
    });
    return (await written(() => client.send(command))) ? 1 : 0;
  }

  return {
    async *deletedUntil(time) {
      const { gsi1_pk } = index.status("deleted", "", "");
      // In the order of their deletion. A "~" is greater than any id.
      const commandOf = {
        TableName: tableName,
        IndexName: table.index.name,
        KeyConditionExpression: "gsi1_pk = :pk AND gsi1_sk <= :until",
        ExpressionAttributeValues: { ":pk": gsi1_pk, ":until": `${time}#~` },
      };
      for await (const { Items = [] } of paginateQuery({ client }, commandOf)) {
        for (const item of Items) {
          const tenantId = String(item.tenant_id);
          if (hasKey(item, keys.directory(tenantId))) yield tenantId;
        }
      }
    },

    async manifest(tenantId) {
      return (await list(keys.manifest(tenantId, "").pk)).map(({ kind, state }) => ({ kind, state }) as ManifestEntry);
    },

    async people(tenantId) {
      return (await membershipsIn(tenantId)).map(({ sub }) => String(sub));
    },

    async remove(tenant, now, gone = []) {
      const { tenant_id: id } = tenant;
      const months = monthsOf(tenant, now);
      const hours = hoursOf(tenant, now);
      const ofGone = await forgetPeople(id, gone);
      const removed = {
        user: ofGone.user + (await removePeople(id)),
        ...(await removeApiKeys(id)),
        serviceAccounts: await removeKeys([keys.serviceAccounts(id)]),
        grant: await removePartitions([keys.grant(id, "").pk]),
        spending: await removeSpending(id, months),
        credit: await removeKeys([keys.credit(id)]),
        ledger: await removePartitions(hours.map((hour) => keys.ledger(id, hour, "").pk)),
        rollup: await removePartitions(months.map((month) => keys.rollups(id, month).pk)),
        report: await removePartitions(months.map((month) => keys.report(id, `${month}-01T00`).pk)),
        carry: await removePartitions([keys.carry(id, "").pk]),
        remainder: await removeKeys([keys.remainder(id)]),
        meterProgress: await removeKeys(months.map((month) => keys.tenantProgress(id, month))),
        notice: await removePartitions([keys.notice(id, "").pk]),
        audit: await removePartitions(months.map((month) => keys.audit(id, month, "").pk)),
        ownedTenants: ofGone.ownedTenants + (await givePlaceBack(tenant)),
        manifest: await removePartitions([keys.manifest(id, "").pk]),
      } satisfies Partial<Record<RecordKind, number>>;
      return removed;
    },

    async forget({ tenant_id, slug }, entry) {
      const own = { ExpressionAttributeValues: { ":tenant": tenant_id } };
      const removal = (Key: Key, ConditionExpression: string) => ({
        Delete: { TableName: tableName, Key, ConditionExpression, ...own },
      });
      const isOwn = "attribute_not_exists(pk) OR tenant_id = :tenant";
      const failed = await transact(client, [
        removal(keys.tenant(tenant_id), "tenant_id = :tenant"),
        removal(keys.slugReservation(slug), isOwn),
        removal(keys.directory(tenant_id), isOwn),
        auditPut(tableName, entry),
      ]);
      // The first condition failed: another run has removed the tenant already.
      if (failed !== undefined && failed > 0) throw new Error(`the address ${slug} is another tenant's`);
    },
  };
}

/** The months from the tenant's creation until now, by which its rows are kept. */
function monthsOf({ created_at }: Tenant, now: number): string[] {
  const months: string[] = [];
  for (let time = Date.parse(created_at); monthOf(time) <= monthOf(now); time = nextMonth(time)) {
    months.push(monthOf(time));
  }
  return months;
}

/** The hours in which calls were admitted, as far as the ledger goes back. */
function hoursOf({ created_at, deleted_at }: Tenant, now: number): string[] {
  const first = Math.max(Date.parse(created_at), now - ledgerHours * hourMs);
  const last = Math.min(now, Date.parse(deleted_at ?? created_at) + hourMs);
  const hours: string[] = [];
  for (let time = first; hourOf(time) <= hourOf(last); time += hourMs) hours.push(hourOf(time));
  return hours;
}
