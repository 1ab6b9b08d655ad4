// The record of the difference that a correction makes to its hour's report. The index lists it until it is added to the total.
import * as z from "zod";
import type { Adjustment } from "../../../domain/metering/hour-report.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import { defineRecord, schemaOf } from "../record.ts";

export const adjustmentRecord = defineRecord({
  kind: "adjustment",
  title: "adjustment",
  pk: "ADJUSTMENT#{tenant_id}",
  sk: "{id}",
  activeIndex: { pk: "ADJUSTMENTS#{shard:number}", sk: "{tenant_id}#{id}" },
  schema: schemaOf<Adjustment>()(
    z.object({ tenant_id: z.string(), id: z.string(), hour: z.string(), difference: z.number() }),
  ),
  version: 1,
  life: { months: 25 },
  purge: { with: "workspace", by: "partition" },
  written: "by a correction that comes after its hour's report; deleted by the meter, which adds it to the total",
});

export function adjustmentIndex(tenantId: string, id: string) {
  return adjustmentRecord.activeIndexKey({ shard: shardOf(tenantId), tenant_id: tenantId, id });
}
