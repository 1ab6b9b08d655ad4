// The record of a tenant's free credit. Each reservation that draws on it is an attribute.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const creditRecord = defineRecord({
  kind: "credit",
  title: "free credit",
  pk: "CREDIT#{tenant_id}",
  sk: "CREDIT",
  schema: z
    .object({ granted_tokens: z.number(), spent: z.number(), committed: z.number(), created_at: z.string() })
    .catchall(z.looseObject({ k: z.number() })),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "key" },
  control: ["get", "put"],
  written:
    "at creation; by admission and settlement, which draw on it; by the meter, for tenants with a payment method",
});

/** The attributes that those may name who draw on the credit: all but what was granted. */
export const creditAttributes = ["pk", "sk", "spent", "committed", "r#*"] as const;
