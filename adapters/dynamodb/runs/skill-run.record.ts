// The record of a run of a skill's script.
import { runRecordSchema } from "../../../domain/runs/run.ts";
import { defineRecord } from "../record.ts";

export const skillRunRecord = defineRecord({
  kind: "skillRun",
  title: "run of a skill",
  pk: "SKILLRUN#{tenant_id}",
  sk: "{skill}#{run_id}",
  schema: runRecordSchema,
  version: 1,
  life: { days: 30 },
  purge: { with: "workspace", by: "partition" },
  control: ["get", "query", "put"],
  written:
    "by `control` when the run is requested, in one transaction with its lease; its state by `runner`. Input and output are in the bucket of skills for a day ([decision 51](decisions/0051-runs-of-skills.md))",
});
