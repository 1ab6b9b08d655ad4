// The records of a skill's versions, and of which version has which content.
import * as z from "zod";
import { versionRecordSchema } from "../../../domain/skills/skill-version.ts";
import { defineRecord } from "../record.ts";
import { storedJson } from "./stored-json.ts";

export const skillVersionRecord = defineRecord({
  kind: "skillVersion",
  title: "version of a skill",
  pk: "SKILL#{tenant_id}#{name}",
  sk: "V#{version:9}",
  schema: versionRecordSchema.extend({ input_schema: storedJson.optional(), frontmatter: storedJson }),
  version: 1,
  life: "until removed, or until there are 50 later versions",
  purge: { with: "workspace", by: "partition", through: "skill" },
  control: ["get", "query", "put", "delete"],
  written: "in the upload's transaction, after its files are in the bucket",
});

export const skillContentRecord = defineRecord({
  kind: "skillVersion",
  title: "content of a version",
  pk: "SKILL#{tenant_id}#{name}",
  sk: "CONTENT#{digest}",
  schema: z.object({ version: z.number() }),
  version: 1,
  life: "with the version",
  purge: { with: "workspace", by: "partition", through: "skill" },
  control: ["get", "put", "delete"],
  written: "with the version: uploading the same content again gives the same version",
});
