// The record of a closed hour, with the amount to be billed.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const reportRecord = defineRecord({
  kind: "report",
  title: "report",
  pk: "REPORT#{tenant_id}#{hour:month}",
  sk: "{hour}",
  schema: z.object({
    tenant_id: z.string(),
    hour: z.string(),
    value: z.number().optional(),
    credit_tokens: z.number().optional(),
    credit_value: z.number().optional(),
    unexplained: z.number().optional(),
  }),
  version: 1,
  life: { months: 25 },
  purge: { with: "workspace", by: "partition" },
  written: "by the meter, when an hour is closed",
});
