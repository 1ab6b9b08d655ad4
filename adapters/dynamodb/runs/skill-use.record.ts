// The record of how much a workspace runs: the leases of its runs, and the seconds of the day.
import * as z from "zod";
import type { RunUse } from "../../../domain/runs/run-use.ts";
import { defineRecord, schemaOf } from "../record.ts";

export const skillUseRecord = defineRecord({
  kind: "skillUse",
  title: "use of runs",
  pk: "SKILLUSE#{tenant_id}",
  sk: "USE",
  schema: schemaOf<RunUse>()(
    z.object({
      version: z.number(),
      day: z.string(),
      seconds: z.number(),
      leases: z.record(z.string(), z.object({ until: z.number(), seconds: z.number() })),
      minute: z.number(),
      calls: z.record(z.string(), z.number()),
    }),
  ),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "key" },
  control: ["get", "put"],
  written: "by `control` with each run's lease, and by `runner` with each run's end",
});
