// The records of secrets for skills' environments, and of how many there are.
import * as z from "zod";
import { secretRecordSchema } from "../../../domain/secrets/secret.ts";
import { defineRecord } from "../record.ts";

export const skillSecretRecord = defineRecord({
  kind: "skillSecret",
  title: "secret of skills",
  pk: "SECRET#{tenant_id}",
  sk: "{name}",
  schema: secretRecordSchema,
  version: 1,
  life: "until removed; the mark of a removed secret for another 30 days",
  purge: { with: "workspace", by: "partition" },
  control: ["get", "query", "put"],
  written: "by `control`; the value is encrypted by `tenant-keys`",
});

/** No secret's name begins so. */
export const skillSecretCountsRecord = defineRecord({
  kind: "skillSecret",
  title: "counts of secrets",
  pk: "SECRET#{tenant_id}",
  sk: "#COUNTS",
  schema: z.object({ secrets: z.number() }),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "partition" },
  control: ["update"],
  written: "in the transaction of a change that adds or removes a secret",
});
