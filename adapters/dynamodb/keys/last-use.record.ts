// The record of a key's last use, apart from the key, because the proxy writes it and may only read keys.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const lastUseRecord = defineRecord({
  kind: "lastUse",
  title: "last use",
  pk: "USED#{key_id}",
  sk: "USED",
  schema: z.object({ key_id: z.string(), used_at: z.string() }),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "key", through: "apiKey" },
  control: ["batchGet"],
  written: "by the proxy after a call's end, once a minute for each key and instance",
});
