// The record of what a caller used of a model in an hour.
import * as z from "zod";
import { nothingUsed, type Rollup, rollupRetention, type Totals } from "../../../domain/ledger/rollup.ts";
import { defineRecord, schemaOf } from "../record.ts";

const figures = Object.fromEntries(Object.keys(nothingUsed).map((name) => [name, z.number()]));

export const rollupRecord = defineRecord({
  kind: "rollup",
  title: "rollup",
  pk: "ROLLUP#{tenant_id}#{hour:month}",
  sk: "{hour}#{caller_id}#{model}",
  schema: schemaOf<Rollup & { read_at: number }>()(
    z.object({
      tenant_id: z.string(),
      hour: z.string(),
      caller_id: z.string(),
      model: z.string(),
      read_at: z.number(),
      ...(figures as Record<keyof Totals, z.ZodNumber>),
    }),
  ),
  version: 1,
  life: rollupRetention,
  purge: { with: "workspace", by: "partition" },
  control: ["query"],
  written: "by the meter, when an hour is over and whenever its ledger changes after that",
});
