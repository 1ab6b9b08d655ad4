// The rows of a tenant in the table, found without a scan and removed in the order that the records declare (removal.ts).
import pMap from "p-map";
import { dayMs, hourMs, hourOf, monthOf, nextMonth } from "../../../domain/kernel/period.ts";
import { retentionMs } from "../../../domain/kernel/retention.ts";
import { ledgerRetention } from "../../../domain/ledger/ledger.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import type { ManifestEntry, TenantRemains } from "../../../domain/provisioning/purge.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { membershipRecord } from "../people/user.record.ts";
import type { StoredRecord } from "../record.ts";
import { type Declared, records } from "../records.ts";
import { type Removal, removals, throughOf } from "../removal.ts";
import type { Rows } from "../rows.ts";
import type { Key } from "../table.ts";
import { auditPuts } from "../workspace/audit.ts";
import { directoryRecord } from "../workspace/directory.record.ts";
import { ownedTenantsRecord } from "../workspace/owned-tenants.record.ts";
import { released, tenantAttribute } from "../workspace/owned-tenants.ts";
import { attribute, type Item, present, remove, when } from "../write.ts";
import { manifestRecord } from "./manifest.record.ts";

/** Calls at once for one tenant. */
const concurrency = 16;

/** The values of which keys are made. A pattern takes those that it names. */
type Known = Record<string, string | number>;

export function tenantRemains(rows: Rows, declared: Declared = records): TenantRemains {
  /** @returns how many of the rows there were */
  async function removeKeys(found: readonly Key[], condition = present): Promise<number> {
    const removed = await pMap(found, ({ pk, sk }) => rows.delete({ pk, sk }, condition), { concurrency });
    return removed.filter(Boolean).length;
  }

  const together = async <T>(all: readonly T[], find: (one: T) => Promise<Item[]>) =>
    (await pMap(all, find, { concurrency: 4 })).flat();

  /** The rows of a record that belong to the tenant, as far as an index or a partition lists them. */
  async function found(record: StoredRecord, tenant: Tenant, now: number): Promise<Item[]> {
    const { purge } = record;
    const by = "by" in purge ? purge.by : undefined;
    const all = await knownOf(record, tenant, now);
    if (by === "index") return (await together(all, (one) => rows.all(record.indexRange(one)))).filter(isOwn);
    if (by === "activeIndex") {
      return (await together(all, (one) => rows.all(record.activeIndexRange(one)))).filter(isOwn);
    }
    // A partition that several tenants share has rows that name their tenant.
    if (!record.patterns.pk.names.includes("tenant_id")) {
      return (await together(all, (one) => rows.all(record.range(one)))).filter(isOwn);
    }
    return together(all, (one) => rows.all({ pk: record.range(one).pk }));

    /** Index keys are attributes that every writer may set on its own rows, so the row's own key has to be this record's. */
    function isOwn(item: Item): boolean {
      const values: Known | undefined = record.valuesOf(item);
      return values !== undefined && (values.tenant_id ?? item.tenant_id) === tenant.tenant_id;
    }
  }

  /** All values by which the tenant's rows of a record can be asked for: of its months or hours, or of the rows through which they are found. */
  async function knownOf(record: StoredRecord, tenant: Tenant, now: number): Promise<Known[]> {
    const { tenant_id } = tenant;
    const through = throughOf(declared, record);
    if (through) {
      const items = await found(through, tenant, now);
      return items.flatMap((item) => through.valuesOf(item) ?? []);
    }
    const { pk, sk } = record.patterns;
    const listing = "by" in record.purge && record.purge.by === "activeIndex" ? record.patterns.activeIndex?.pk : pk;
    const text = `${listing?.pattern} ${sk.pattern}`;
    const own = { tenant_id, shard: shardOf(tenant_id) };
    // A key may have only the month of an hour: one hour of each month is enough then.
    if (/\{(hour:)?month\}/.test(text)) return monthsOf(tenant, now).map((month) => ({ ...own, month, hour: month }));
    if (pk.names.includes("hour")) return hoursOf(tenant, now).map((hour) => ({ ...own, hour }));
    return [own];
  }

  async function removeStep({ record, purge }: Removal, tenant: Tenant, now: number): Promise<number> {
    if (purge.by === "key") {
      return removeKeys((await knownOf(record, tenant, now)).map((one) => record.key(one)));
    }
    const own = (await found(record, tenant, now)) as Key[];
    const isShared = purge.by === "partition" && !record.patterns.pk.names.includes("tenant_id");
    return removeKeys(own, isShared ? when`tenant_id = ${tenant.tenant_id}` : present);
  }

  /** Every row of a person who is gone, except the membership by which a repeat finds them. */
  async function removePerson({ record, purge }: Removal, tenantId: string, sub: string): Promise<number> {
    const values: Known = { sub, owner_sub: sub };
    if (purge.by === "key") return removeKeys([record.key(values)]);
    const { pk, sk } = membershipRecord.key({ sub, tenant_id: tenantId });
    const items = (await rows.all({ pk: record.range(values).pk })) as Key[];
    return removeKeys(items.filter((item) => !(item.pk === pk && item.sk === sk)));
  }

  /** The last of an owner's tenants is there until now (`OwnedTenants.release`). */
  async function givePlaceBack(tenant: Tenant): Promise<number> {
    const isThere = when`attribute_exists(${attribute(tenantAttribute(tenant.tenant_id))})`;
    return (await rows.update(ownedTenantsRecord.key(tenant), released(tenant), isThere)) ? 1 : 0;
  }

  return {
    async *deletedUntil(time) {
      const range = directoryRecord.indexRange({ status: "deleted" });
      // In the order of their deletion. A "~" is greater than any id.
      for await (const page of rows.pages({ ...range, upTo: `${time}#~` })) {
        for (const item of page) {
          const values = directoryRecord.valuesOf(item);
          if (values && values.tenant_id === item.tenant_id) yield values.tenant_id;
        }
      }
    },

    async manifest(tenantId) {
      const entries = await rows.all(manifestRecord.range({ tenant_id: tenantId }));
      return entries.map(({ kind, state }) => ({ kind, state }) as ManifestEntry);
    },

    async people(tenantId) {
      const listed = await rows.all(membershipRecord.indexRange({ tenant_id: tenantId }));
      return listed.flatMap((item) => {
        const values = membershipRecord.valuesOf(item);
        return values?.tenant_id === tenantId ? [values.sub] : [];
      });
    },

    async remove(tenant, now, gone = []) {
      const removed: Record<string, number> = {};
      const count = (kind: string, rows: number) => {
        removed[kind] = (removed[kind] ?? 0) + rows;
      };
      for (const step of removals(declared, "person")) {
        const counts = await pMap(gone, (sub) => removePerson(step, tenant.tenant_id, sub), { concurrency: 4 });
        for (const rows of [0, ...counts]) count(step.record.kind, rows);
      }
      count(ownedTenantsRecord.kind, await givePlaceBack(tenant));
      for (const step of removals(declared, "workspace").filter(isFirstOfPartition)) {
        if (step.purge.by !== "transaction") count(step.record.kind, await removeStep(step, tenant, now));
      }
      return removed;
    },

    async forget(tenant, entry) {
      const { tenant_id, slug } = tenant;
      const last = removals(declared, "workspace").filter(({ purge }) => purge.by === "transaction");
      const isOwn = when`attribute_not_exists(pk) OR tenant_id = ${tenant_id}`;
      const failed = await rows.transact([
        ...last.map(({ record }, place) =>
          remove(record.key(tenant as unknown as Known), place === 0 ? when`tenant_id = ${tenant_id}` : isOwn),
        ),
        ...auditPuts(entry),
      ]);
      // The first condition failed: another run has removed the tenant already.
      if (failed !== undefined && failed > 0) throw new Error(`the address ${slug} is another tenant's`);
    },
  };
}

/** Whether no step before this one removes the same partition, which may have several records. */
function isFirstOfPartition({ record, purge }: Removal, place: number, steps: readonly Removal[]): boolean {
  const isSame = (other: Removal) => other.purge.by === purge.by && other.record.pk === record.pk;
  return purge.by !== "partition" || steps.findIndex(isSame) === place;
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
  const first = Math.max(Date.parse(created_at), now - retentionMs(ledgerRetention) - dayMs);
  const last = Math.min(now, Date.parse(deleted_at ?? created_at) + hourMs);
  const hours: string[] = [];
  for (let time = first; hourOf(time) <= hourOf(last); time += hourMs) hours.push(hourOf(time));
  return hours;
}
