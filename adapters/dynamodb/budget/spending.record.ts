// The record of what a caller has spent in a month, with the calls in flight. No call parses it: every write reads the numbers that it needs.
import * as z from "zod";
import { shardOf } from "../../../domain/metering/shard.ts";
import { defineRecord } from "../record.ts";

/** A reservation, under the id of its request (stored-reservation.ts). The amount of a window is a number (guard-condition.ts). */
const reservation = z.looseObject({ n: z.number(), x: z.number() });

export const spendingRecord = defineRecord({
  kind: "spending",
  title: "spending",
  pk: "SPENDING#{tenant_id}#{caller_id}",
  sk: "MONTH#{month}",
  activeIndex: { pk: "ACTIVE#{month}#{shard:number}", sk: "{tenant_id}#{caller_id}" },
  schema: z
    .object({
      spent: z.number().optional(),
      committed: z.number().optional(),
      inflight: z.number().optional(),
      tat: z.number().optional(),
      tat_rate: z.string().optional(),
      overdraft: z.string().optional(),
      allowance: z.number().optional(),
      allowance_of: z.string().optional(),
      fallbacks: z.set(z.string()).optional(),
    })
    .catchall(z.union([reservation, z.number()])),
  version: 1,
  life: { months: 25 },
  purge: { with: "workspace", by: "activeIndex" },
  control: ["batchGet", "activeIndex"],
  written: "by admission, renewal, settlement, reclaim and correction; the index keys by the admission",
});

/** The admission sets it once for each caller and month. Tenants are spread over shards, so that not all callers write to one partition. */
export function activeCallerIndex({
  tenantId,
  callerId,
  month,
}: {
  tenantId: string;
  callerId: string;
  month: string;
}) {
  return spendingRecord.activeIndexKey({ month, shard: shardOf(tenantId), tenant_id: tenantId, caller_id: callerId });
}
