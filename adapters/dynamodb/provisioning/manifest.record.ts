// The records of what tenants have outside the table, and of the reconciliation's progress.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const manifestRecord = defineRecord({
  kind: "manifest",
  title: "manifest of effects",
  pk: "MANIFEST#{tenant_id}",
  sk: "{resource}",
  schema: z.object({
    kind: z.string(),
    state: z.enum(["intended", "done"]),
    intended_at: z.string().optional(),
    claimed_until: z.number().optional(),
    attempts: z.number().optional(),
    resource: z.string().optional(),
    cancelled_at: z.string().optional(),
    ended_at: z.string().optional(),
  }),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "partition", isLast: true },
  control: ["put"],
  written: "with the tenant, as `intended`; then as `done` by the function that creates the resource outside the table",
});

export const reconcileProgressRecord = defineRecord({
  kind: "manifest",
  title: "progress of the reconciliation",
  pk: "MANIFEST#PLATFORM",
  sk: "WALK",
  schema: z.object({ finished: z.boolean(), after: z.string().optional() }),
  version: 1,
  life: "for ever",
  purge: { stays: "one row for the whole platform" },
  written: "by the reconciliation, with each page of people, and when it has gone through all of them",
});
