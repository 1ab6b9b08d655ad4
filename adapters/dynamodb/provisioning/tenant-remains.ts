// The rows of a tenant in the table, found without a scan: by its own partitions, by the index that lists its people and keys, by
// its months and hours, and by the index of active callers. docs/storage.md names the rows that stay.
import pMap from "p-map";
import { dayMs, hourMs, hourOf, monthOf, nextMonth } from "../../../domain/kernel/period.ts";
import { retentionMs } from "../../../domain/kernel/retention.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import type { ManifestEntry, TenantRemains } from "../../../domain/provisioning/purge.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { hasKey } from "../client.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, index, type Key, keys, type RecordKind } from "../schema.ts";
import { auditPuts } from "../workspace/audit.ts";
import { released, tenantAttribute } from "../workspace/owned-tenants.ts";
import { attribute, type Item, present, remove, when } from "../write.ts";

/** Calls at once for one tenant. */
const concurrency = 16;

export function tenantRemains(rows: Rows): TenantRemains {
  /** @returns how many of the rows there were */
  async function removeKeys(found: readonly Key[]): Promise<number> {
    const removed = await pMap(found, ({ pk, sk }) => rows.delete({ pk, sk }, present), { concurrency });
    return removed.filter(Boolean).length;
  }

  async function removePartitions(pks: readonly string[]): Promise<number> {
    const counts = await pMap(pks, async (pk) => removeKeys((await rows.all({ pk })) as Key[]), { concurrency: 4 });
    return counts.reduce((sum, one) => sum + one, 0);
  }

  async function membershipsIn(tenantId: string): Promise<Item[]> {
    const { gsi1_pk: pk, gsi1_sk: prefix } = index.member(tenantId, "");
    const listed = await rows.all({ pk, prefix, by: "index" });
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
        const items = (await rows.all({ pk: keys.profile(sub).pk })) as Key[];
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
        const { pk, sk: prefix } = keys.activeTenant(String(sub), "");
        const chosen = (await rows.all({ pk, prefix })).filter(({ tenant_id }) => tenant_id === tenantId);
        const isOwn = when`tenant_id = ${tenantId}`;
        const removed = await pMap(chosen as Key[], ({ pk, sk }) => rows.delete({ pk, sk }, isOwn));
        return removed.filter(Boolean).length;
      },
      { concurrency },
    );
    return active.reduce((sum, one) => sum + one, 0) + (await removeKeys(own as Key[]));
  }

  /** Removes the rows that hang on the keys, then the keys by which those rows are found. */
  async function removeApiKeys(tenantId: string) {
    const { gsi1_pk: pk, gsi1_sk: prefix } = index.apiKey(tenantId, "");
    const listed = await rows.all({ pk, prefix, by: "index" });
    const own = listed.filter((item) => item.tenant_id === tenantId && hasKey(item, keys.apiKey(String(item.key_id))));
    return {
      lastUse: await removeKeys(own.map(({ key_id }) => keys.lastUse(String(key_id)))),
      activeKeys: await removePartitions([keys.activeKeys(tenantId, "").pk]),
      apiKey: await removeKeys(own as Key[]),
    };
  }

  /** Removes the rows of each skill, then the skills by which those rows are found. */
  async function removeSkills(tenantId: string) {
    const { pk } = keys.skill(tenantId, "");
    const names = (await rows.all({ pk }, { ProjectionExpression: "sk" })).map(({ sk }) => String(sk));
    return {
      skillVersion: await removePartitions(names.map((name) => keys.skillVersion(tenantId, name, 0).pk)),
      skillApproval: await removePartitions([keys.skillApproval(tenantId, "").pk]),
      skillEnvironment: await removePartitions([keys.skillEnvironment(tenantId, "").pk]),
      skillSecret: await removePartitions([keys.skillSecret(tenantId, "").pk]),
      skillRun: await removePartitions([keys.skillRun(tenantId, "", "").pk]),
      skillUse: await removePartitions([keys.skillUse(tenantId).pk]),
      skill: await removePartitions([pk]),
    };
  }

  async function removeSpending(tenantId: string, months: readonly string[]): Promise<number> {
    const counts = await pMap(
      months,
      async (month) => {
        const pk = activeIndex.activeCallers(month, shardOf(tenantId));
        const listed = await rows.all({ pk, prefix: `${tenantId}#`, by: "activeIndex" });
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

  /** The last of an owner's tenants is there until now (`OwnedTenants.release`). */
  async function givePlaceBack(tenant: Tenant): Promise<number> {
    const isThere = when`attribute_exists(${attribute(tenantAttribute(tenant.tenant_id))})`;
    return (await rows.update(keys.ownedTenants(tenant.owner_sub), released(tenant), isThere)) ? 1 : 0;
  }

  return {
    async *deletedUntil(time) {
      const { gsi1_pk: pk } = index.status("deleted", "", "");
      // In the order of their deletion. A "~" is greater than any id.
      for await (const page of rows.pages({ pk, by: "index", upTo: `${time}#~` })) {
        for (const item of page) {
          const tenantId = String(item.tenant_id);
          if (hasKey(item, keys.directory(tenantId))) yield tenantId;
        }
      }
    },

    async manifest(tenantId) {
      const found = await rows.all({ pk: keys.manifest(tenantId, "").pk });
      return found.map(({ kind, state }) => ({ kind, state }) as ManifestEntry);
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
        ...(await removeSkills(id)),
        mcpServer: await removePartitions([keys.mcpServer(id, "").pk]),
        serviceAccounts: await removeKeys([keys.serviceAccounts(id)]),
        grant: await removePartitions([keys.grant(id, "").pk]),
        spending: await removeSpending(id, months),
        credit: await removeKeys([keys.credit(id)]),
        ledger: await removePartitions(hours.map((hour) => keys.ledger(id, hour, "").pk)),
        rollup: await removePartitions(months.map((month) => keys.rollups(id, month).pk)),
        report: await removePartitions(months.map((month) => keys.report(id, `${month}-01T00`).pk)),
        adjustment: await removePartitions([keys.adjustment(id, "").pk]),
        total: await removeKeys([keys.total(id)]),
        meterProgress: await removeKeys(months.map((month) => keys.tenantProgress(id, month))),
        notice: await removePartitions([keys.notice(id, "").pk]),
        ownedTenants: ofGone.ownedTenants + (await givePlaceBack(tenant)),
        manifest: await removePartitions([keys.manifest(id, "").pk]),
      } satisfies Partial<Record<RecordKind, number>>;
      return removed;
    },

    async forget({ tenant_id, slug }, entry) {
      const isOwn = when`attribute_not_exists(pk) OR tenant_id = ${tenant_id}`;
      const failed = await rows.transact([
        remove(keys.tenant(tenant_id), when`tenant_id = ${tenant_id}`),
        remove(keys.slugReservation(slug), isOwn),
        remove(keys.directory(tenant_id), isOwn),
        ...auditPuts(entry),
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

/** The hours in which calls were admitted, as far as the ledger goes back, with a day of margin. */
function hoursOf({ created_at, deleted_at }: Tenant, now: number): string[] {
  const first = Math.max(Date.parse(created_at), now - retentionMs("ledger") - dayMs);
  const last = Math.min(now, Date.parse(deleted_at ?? created_at) + hourMs);
  const hours: string[] = [];
  for (let time = first; hourOf(time) <= hourOf(last); time += hourMs) hours.push(hourOf(time));
  return hours;
}
