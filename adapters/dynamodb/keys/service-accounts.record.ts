// The record of a tenant's service accounts: an attribute for each, and their number.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const serviceAccountsRecord = defineRecord({
  kind: "serviceAccounts",
  title: "service accounts",
  pk: "ACCOUNTS#{tenant_id}",
  sk: "ACCOUNTS",
  schema: z.object({ accounts: z.number() }).catchall(z.string()),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "key" },
  control: ["update"],
  written: "when a service account's key is created or its last key revoked",
});
