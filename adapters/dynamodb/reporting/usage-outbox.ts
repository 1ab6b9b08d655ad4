// The outbox of the billing in the table: the second index lists what is to be billed, and a report changes only from the state in
// which it was read.
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
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
import { batchGet, batchSize } from "../batch.ts";
import { hasKey, written } from "../client.ts";
import { type Item, rowsOf, setting } from "../rows.ts";
import { activeIndex, type Key, keys, unbilledIndex, unbilledOf } from "../schema.ts";
import { balanceOf, openStates, unbilledUsageStore } from "./unbilled-usage.ts";

/** The end of an update expression that takes a row out of the index. */
const unlisted = " REMOVE gsi2_pk, gsi2_sk";

export function usageOutbox(client: DynamoDBDocumentClient, tableName: string): UsageOutbox & UnbilledUsage {
  const rows = rowsOf(client, tableName);
  const keyOf = ({ tenantId, hour }: { tenantId: string; hour: string }): Key => keys.report(tenantId, hour);

  /** An update that holds only if the report is still in the state in which it was read. */
  function stateChange(report: OpenReport, to: ReportState, update: string, values: Item = {}) {
    return {
      UpdateExpression: `SET #state = :to${update}`,
      ConditionExpression: "#state = :from",
      ExpressionAttributeNames: { "#state": "state" },
      ExpressionAttributeValues: { ":to": to, ":from": report.state, ...values },
    };
  }

  /** Ends a report, which takes it out of the index. */
  async function end(report: OpenReport, to: ReportState): Promise<void> {
    await rows.update(keyOf(report), stateChange(report, to, unlisted));
  }

  /** An update that holds only while the lease is held. A balance above zero is listed in the index until an event takes it. */
  function balanceChange({ tenantId, holder }: ReportingLease, { carried, fraction }: Balance) {
    const listing = carried > 0 ? unbilledIndex(tenantId, { kind: "balance" }) : undefined;
    const { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues } = setting({
      carried,
      left: fraction,
      gsi2_pk: listing?.gsi2_pk,
      gsi2_sk: listing?.gsi2_sk,
    });
    return {
      Key: keys.balance(tenantId),
      UpdateExpression,
      ConditionExpression: "#holder = :holder",
      ExpressionAttributeNames: { ...ExpressionAttributeNames, "#holder": "holder" },
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ":holder": holder },
    };
  }

  /** Changes a report and the tenant's balance in one transaction. */
  async function changeBoth(
    lease: ReportingLease,
    report: OpenReport,
    change: ReturnType<typeof stateChange>,
    next: Balance,
  ): Promise<ReportingLease> {
    const Update = { Key: keyOf(report), ...change };
    const failed = await rows.transact([{ Update }, { Update: balanceChange(lease, next) }]);
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
      const command = new UpdateCommand({
        TableName: tableName,
        Key: keys.balance(tenantId),
        UpdateExpression: "SET #holder = :holder, held_until = :until",
        ConditionExpression: "attribute_not_exists(held_until) OR held_until < :now OR #holder = :holder",
        ExpressionAttributeNames: { "#holder": "holder" },
        ExpressionAttributeValues: { ":holder": holder, ":until": until, ":now": now },
        ReturnValues: "ALL_NEW",
      });
      let item: Item = {};
      const isTaken = await written(async () => {
        item = (await client.send(command)).Attributes ?? {};
      });
      if (!isTaken) return undefined;
      return { tenantId, holder, until, ...balanceOf(item) };
    },

    async release({ tenantId, holder }) {
      await rows.update(keys.balance(tenantId), {
        UpdateExpression: "REMOVE held_until",
        ConditionExpression: "#holder = :holder",
        ExpressionAttributeNames: { "#holder": "holder" },
        ExpressionAttributeValues: { ":holder": holder },
      });
    },

    async reports(tenantId) {
      const hours: string[] = [];
      for await (const entry of entries(shardOf(tenantId), tenantId)) {
        hours.push(entry.slice(`${tenantId}#report#`.length));
        if (hours.length === batchSize) break;
      }
      const found = await batchGet(
        client,
        tableName,
        hours.map((hour) => keys.report(tenantId, hour)),
      );
      return hours.flatMap((hour) => openReportOf(found.item(keys.report(tenantId, hour)), tenantId, hour) ?? []);
    },

    async unsent(tenantId, hour) {
      const report = openReportOf(await rows.get(keys.report(tenantId, hour)), tenantId, hour);
      return report?.state === "unsent" ? report : undefined;
    },

    freeze(lease, report, event, next) {
      if (!event) return changeBoth(lease, report, stateChange(report, "counted", unlisted), next);
      const { customerId, slot, identifier, at, value, unconfirmedSince } = event;
      const { gsi2_pk, gsi2_sk } = unbilledIndex(report.tenantId, { kind: "report", hour: report.hour });
      const names =
        "customer_id = :customer, slot = :slot, identifier = :identifier, stamped_at = :at, quantity = :quantity";
      const change = stateChange(
        report,
        "sending",
        `, ${names}, doubtful_since = :since, gsi2_pk = :pk, gsi2_sk = :sk`,
        {
          ":customer": customerId,
          ":slot": slot,
          ":identifier": identifier,
          ":at": at,
          ":quantity": value,
          ":since": unconfirmedSince,
          ":pk": gsi2_pk,
          ":sk": gsi2_sk,
        },
      );
      return changeBoth(lease, report, change, next);
    },

    carry: (lease, report, next) => changeBoth(lease, report, stateChange(report, "carried", unlisted), next),

    async taken(report, at) {
      await rows.update(keyOf(report), stateChange(report, "taken", ", doubtful_since = :since", { ":since": at }));
    },

    counted: (report) => end(report, "counted"),
    lost: (report) => end(report, "lost"),

    async reopen(identifier) {
      const named = hourOfEvent(identifier);
      if (!named) return false;
      const { gsi2_pk, gsi2_sk } = unbilledIndex(named.tenantId, { kind: "report", hour: named.hour });
      return rows.update(keyOf(named), {
        UpdateExpression: "SET #state = :sending, gsi2_pk = :pk, gsi2_sk = :sk",
        ConditionExpression: "identifier = :identifier AND (#state = :sending OR #state = :taken OR #state = :counted)",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: {
          ":identifier": identifier,
          ":sending": "sending",
          ":taken": "taken",
          ":counted": "counted",
          ":pk": gsi2_pk,
          ":sk": gsi2_sk,
        },
      });
    },

    ...unbilledUsageStore(client, tableName),
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
