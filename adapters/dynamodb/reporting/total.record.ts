// The record of a tenant's usage, month by month, and of how much of it was billed.
import * as z from "zod";
import { shardOf } from "../../../domain/metering/shard.ts";
import { defineRecord } from "../record.ts";

export const totalRecord = defineRecord({
  kind: "total",
  title: "total",
  pk: "TOTAL#{tenant_id}",
  sk: "TOTAL",
  activeIndex: { pk: "UNBILLED#{shard:number}", sk: "{tenant_id}", rows: "until the tenant is billed in full" },
  schema: z
    .object({
      additions: z.number().optional(),
      unreported_since: z.string().optional(),
      unsure: z.string().optional(),
      subscription_id: z.string().optional(),
      version: z.number().optional(),
    })
    .catchall(z.number()),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "key" },
  control: ["get"],
  written:
    "by the meter, with each report and adjustment that is not 0; by `report` and `payments` when usage is reported to the payment provider, or an invoice has become final",
});

export function totalIndex(tenantId: string) {
  return totalRecord.activeIndexKey({ shard: shardOf(tenantId), tenant_id: tenantId });
}

/** The attributes that the meter writes: one for each month. */
export const meteredAttributes = ["pk", "sk", "gsi2_pk", "gsi2_sk", "additions", "unreported_since", "m#*"] as const;
