// The records of a workspace's skills, and of how many there are.
import * as z from "zod";
import { skillRecordSchema } from "../../../domain/skills/skill.ts";
import { defineRecord } from "../record.ts";
import { storedJson } from "./stored-json.ts";

export const skillRecord = defineRecord({
  kind: "skill",
  title: "skill",
  pk: "SKILLS#{tenant_id}",
  sk: "{name}",
  schema: skillRecordSchema.extend({ input_schema: storedJson.optional() }),
  version: 1,
  life: "until removed; the mark of a removed skill for another 30 days",
  purge: { with: "workspace", by: "partition" },
  control: ["get", "query", "put"],
  written: "by `control`, with each change of the skill, its versions or its environment",
});

/** No skill's name has capitals. */
export const skillCountsRecord = defineRecord({
  kind: "skill",
  title: "counts of skills",
  pk: "SKILLS#{tenant_id}",
  sk: "COUNTS",
  schema: z.object({ skills: z.number(), active: z.number() }),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "partition" },
  control: ["update"],
  written: "in the transaction of a change that adds or removes a skill",
});
