// The record of a caller's active keys: the end of each, and their number.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const activeKeysRecord = defineRecord({
  kind: "activeKeys",
  title: "active keys",
  pk: "KEYS#{tenant_id}",
  sk: "{caller_id}",
  schema: z
    .object({
      active: z.number(),
      version: z.number().optional(),
      name: z.string().optional(),
      monthly_budget_usd: z.number().optional(),
    })
    .catchall(z.string()),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "partition" },
  control: ["get", "batchGet", "query", "update"],
  written: "with each change of a caller's keys, in its transaction",
});
