// The record of the environment of a skill's script.
import { environmentRecordSchema } from "../../../domain/skills/environment.ts";
import { defineRecord } from "../record.ts";

export const skillEnvironmentRecord = defineRecord({
  kind: "skillEnvironment",
  title: "environment of a skill",
  pk: "SKILLENV#{tenant_id}",
  sk: "{name}",
  schema: environmentRecordSchema,
  version: 1,
  life: "with the skill",
  purge: { with: "workspace", by: "partition" },
  control: ["get", "put", "delete"],
  written: "in the transaction of each change of the environment",
});
