// The totals of the billing in the table: one row for each tenant, with an attribute for each month and each final invoice. The
// second index lists those that are not billed in full.
import { type BillingTotal, type BillingTotals, TotalChanged } from "../../../domain/reporting/billing-total.ts";
import { hasKey } from "../client.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { type Condition, type Item, setting, update, type Write, when } from "../write.ts";
import { totalRecord } from "./total.record.ts";

export function billingTotals(rows: Rows): BillingTotals {
  /** Writes on the condition that no other run has written since the total was read. */
  async function change(total: BillingTotal, attributes: Item, ...more: Write[]): Promise<BillingTotal> {
    const { tenantId, version } = total;
    const next = setting({ ...attributes, version: version + 1 });
    const own = update(totalRecord.key({ tenant_id: tenantId }), next, unchanged(version));
    if ((await rows.transact([own, ...more])) !== undefined) throw new TotalChanged("another run changed the total");
    const after: Item = { ...itemOf(total), ...attributes, version: version + 1 };
    return totalOf(tenantId, after);
  }

  return {
    async *tenants(shard) {
      for await (const page of rows.pages(totalRecord.activeIndexRange({ shard }))) {
        for (const item of page) {
          const tenantId = String(item.gsi2_sk);
          // Index keys are attributes that every writer may set on its own rows.
          if (hasKey(item, totalRecord.key({ tenant_id: tenantId }))) yield tenantId;
        }
      }
    },

    async get(tenantId) {
      const item = await rows.get(totalRecord.key({ tenant_id: tenantId }));
      return item && totalOf(tenantId, item);
    },

    sending(total, { month, value, at, subscriptionId, markups }) {
      const fixed = Object.entries(markups).map(([of, markup]) => [`x#${of}`, markup]);
      // Values that were sent for an earlier subscription are only on invoices that are final, so they are forgotten.
      const earlier = subscriptionId === total.subscriptionId ? [] : Object.keys(total.sent);
      return change(total, {
        ...Object.fromEntries(fixed),
        ...Object.fromEntries(earlier.map((one) => [`s#${one}`, undefined])),
        ...{ [`s#${month}`]: value, [`t#${month}`]: at, unsure: month, subscription_id: subscriptionId },
      });
    },

    sent: (total) => change(total, { unsure: undefined }),

    invoiced(total, { id, quantity }, month, entry) {
      const over = Object.keys(total.sent).filter((one) => one <= month);
      const ended = Object.fromEntries(over.map((one) => [`s#${one}`, undefined]));
      const unsure = total.unsure !== undefined && total.unsure <= month ? undefined : total.unsure;
      return change(total, { [`i#${id}`]: quantity, ...ended, unsure }, ...(entry ? [auditPut(entry)] : []));
    },

    async reported(total) {
      if (total.unreportedSince === undefined) return;
      await rows.update(
        totalRecord.key({ tenant_id: total.tenantId }),
        setting({ unreported_since: undefined }),
        when`additions = ${total.additions}`,
      );
    },

    async settled(total, entry) {
      const unlisted = setting({ gsi2_pk: undefined, gsi2_sk: undefined });
      const own = update(
        totalRecord.key({ tenant_id: total.tenantId }),
        unlisted,
        when`additions = ${total.additions}`,
      );
      await rows.transact([own, ...(entry ? [auditPut(entry)] : [])]);
    },
  };
}

function unchanged(version: number): Condition {
  return version === 0 ? when`attribute_not_exists(version)` : when`version = ${version}`;
}

const kinds = { costs: "m#", markups: "x#", sent: "s#", sentAt: "t#", invoiced: "i#" } as const;

function totalOf(tenantId: string, item: Item): BillingTotal {
  const named = (prefix: string) =>
    Object.fromEntries(
      Object.entries(item)
        .filter(([name, value]) => name.startsWith(prefix) && value !== undefined)
        .map(([name, value]) => [name.slice(prefix.length), Number(value)]),
    );
  return {
    tenantId,
    costs: named(kinds.costs),
    markups: named(kinds.markups),
    sent: named(kinds.sent),
    sentAt: named(kinds.sentAt),
    invoiced: named(kinds.invoiced),
    additions: Number(item.additions ?? 0),
    unsure: item.unsure as string | undefined,
    unreportedSince: item.unreported_since as string | undefined,
    subscriptionId: item.subscription_id as string | undefined,
    version: Number(item.version ?? 0),
  };
}

function itemOf(total: BillingTotal): Item {
  const { unsure, unreportedSince, subscriptionId, additions, version } = total;
  const parts = Object.entries(kinds).flatMap(([kind, prefix]) =>
    Object.entries(total[kind as keyof typeof kinds]).map(([name, value]) => [prefix + name, value]),
  );
  return {
    unsure,
    unreported_since: unreportedSince,
    subscription_id: subscriptionId,
    additions,
    version,
    ...Object.fromEntries(parts),
  };
}
