// The outbox of the billing in the table: the second index lists what is to be billed, and a report changes only from the state in
// which it was read.
import type { ReportState } from "../../../domain/metering/hour-report.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import type { UnbilledUsage } from "../../../domain/reporting/unbilled-usage.ts";
import {
  type Balance,
  type FrozenEvent,
  hourOfEvent,
  type OpenReport,
  OutboxChanged,
  type ReportingLease,
  type UsageOutbox,
} from "../../../domain/reporting/usage-outbox.ts";
import { batchSize } from "../batch.ts";
import { hasKey } from "../client.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, type Key, keys, unbilledIndex, unbilledOf } from "../schema.ts";
import { type Item, setting, update, type Write, when } from "../write.ts";
import { balanceOf, openStates, unbilledUsageStore } from "./unbilled-usage.ts";

/** Attributes of a row that the index does not list. */
const unlisted = { gsi2_pk: undefined, gsi2_sk: undefined };

export function usageOutbox(rows: Rows): UsageOutbox & UnbilledUsage {
  const keyOf = ({ tenantId, hour }: { tenantId: string; hour: string }): Key => keys.report(tenantId, hour);

  /** An update that holds only if the report is still in the state in which it was read. */
  function stateChange(report: OpenReport, state: ReportState, attributes: Item) {
    return [keyOf(report), setting({ state, ...attributes }), when`#state = ${report.state}`] as const;
  }

  /** Ends a report, which takes it out of the index. */
  async function end(report: OpenReport, to: ReportState): Promise<void> {
    await rows.update(...stateChange(report, to, unlisted));
  }

  /** An update that holds only while the lease is held. A balance above zero is listed in the index until an event takes it. */
  function balanceChange({ tenantId, holder }: ReportingLease, { carried, fraction }: Balance): Write {
    const listing = carried > 0 ? unbilledIndex(tenantId, { kind: "balance" }) : unlisted;
    const balance = setting({ carried, left: fraction, ...listing });
    return update(keys.balance(tenantId), balance, when`#holder = ${holder}`);
  }

  /** Changes a report and the tenant's balance in one transaction. */
  async function changeBoth(
    lease: ReportingLease,
    change: ReturnType<typeof stateChange>,
    next: Balance,
  ): Promise<ReportingLease> {
    const failed = await rows.transact([update(...change), balanceChange(lease, next)]);
    if (failed !== undefined) throw new OutboxChanged("the report or the balance was changed by another run");
    return { ...lease, ...next };
  }

  async function* entries(shard: number, tenantId?: string): AsyncGenerator<string> {
    const prefix = tenantId && `${tenantId}#report#`;
    for await (const page of rows.pages({ pk: activeIndex.unbilled(shard), prefix, by: "activeIndex" })) {
      for (const item of page) {
        const listed = unbilledOf(String(item.gsi2_sk));
        // Index keys are attributes that every writer may set on its own rows.
        if (listed && hasKey(item, listed.key)) yield String(item.gsi2_sk);
      }
    }
  }

  return {
    async *tenants(shard) {
      let last: string | undefined;
      for await (const entry of entries(shard)) {
        const tenantId = unbilledOf(entry)?.tenantId;
        if (tenantId !== undefined && tenantId !== last) yield tenantId;
        last = tenantId;
      }
    },

    async lease(tenantId, holder, { now, until }) {
      const balance = await rows.updated(
        keys.balance(tenantId),
        setting({ holder, held_until: until }),
        when`attribute_not_exists(held_until) OR held_until < ${now} OR #holder = ${holder}`,
      );
      return balance && { tenantId, holder, until, ...balanceOf(balance) };
    },

    async release({ tenantId, holder }) {
      await rows.update(keys.balance(tenantId), setting({ held_until: undefined }), when`#holder = ${holder}`);
    },

    async reports(tenantId) {
      const hours: string[] = [];
      for await (const entry of entries(shardOf(tenantId), tenantId)) {
        hours.push(entry.slice(`${tenantId}#report#`.length));
        if (hours.length === batchSize) break;
      }
      const found = await rows.batch(hours.map((hour) => keys.report(tenantId, hour)));
      return hours.flatMap((hour) => openReportOf(found.item(keys.report(tenantId, hour)), tenantId, hour) ?? []);
    },

    async unsent(tenantId, hour) {
      const report = openReportOf(await rows.get(keys.report(tenantId, hour)), tenantId, hour);
      return report?.state === "unsent" ? report : undefined;
    },

    freeze(lease, report, event, next) {
      if (!event) return changeBoth(lease, stateChange(report, "counted", unlisted), next);
      const sending = stateChange(report, "sending", {
        customer_id: event.customerId,
        slot: event.slot,
        identifier: event.identifier,
        stamped_at: event.at,
        quantity: event.value,
        doubtful_since: event.unconfirmedSince,
        ...unbilledIndex(report.tenantId, { kind: "report", hour: report.hour }),
      });
      return changeBoth(lease, sending, next);
    },

    carry: (lease, report, next) => changeBoth(lease, stateChange(report, "carried", unlisted), next),

    async taken(report, at) {
      await rows.update(...stateChange(report, "taken", { doubtful_since: at }));
    },

    counted: (report) => end(report, "counted"),

    lost: (report) => end(report, "lost"),

    async reopen(identifier) {
      const named = hourOfEvent(identifier);
      if (!named) return false;
      const { tenantId, hour } = named;
      return rows.update(
        keyOf(named),
        setting({ state: "sending", ...unbilledIndex(tenantId, { kind: "report", hour }) }),
        when`identifier = ${identifier} AND (#state = ${"sending"} OR #state = ${"taken"} OR #state = ${"counted"})`,
      );
    },

    ...unbilledUsageStore(rows),
  };
}

/** Undefined if the report is final, or not frozen yet. */
function openReportOf(item: Item | undefined, tenantId: string, hour: string): OpenReport | undefined {
  if (!item || !openStates.includes(item.state) || typeof item.value !== "number") return undefined;
  const report = { tenantId, hour, value: item.value };
  if (item.state === "unsent") return { ...report, state: "unsent" };
  return { ...report, state: item.state as "sending" | "taken", event: eventOf(item) };
}

function eventOf({ customer_id, slot, identifier, stamped_at, quantity, doubtful_since }: Item): FrozenEvent {
  return {
    customerId: String(customer_id),
    slot: Number(slot),
    identifier: String(identifier),
    at: Number(stamped_at),
    value: Number(quantity),
    unconfirmedSince: Number(doubtful_since),
  };
}
