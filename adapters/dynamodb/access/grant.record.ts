// The record of a person's grant.
import * as z from "zod";
import type { Grant, GrantRecord } from "../../../domain/access/grant.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { defineRecord, schemaOf } from "../record.ts";

/** The limits as they are stored. What people may set is judged when they set it, and not again by who reads it. */
const limits = {
  allowed_models: z.array(z.string()),
  allowed_regions: z.array(z.enum(regions)),
  monthly_budget_usd: z.number(),
  default_region: z.enum(regions).optional(),
  fallback_region: z.enum(regions).optional(),
  budget_enforcement: z.enum(["reserved", "spent"]),
  allow_global_profiles: z.boolean(),
  rate_limit: z.object({ burst: z.number(), per_minute: z.number() }).optional(),
  max_in_flight: z.number().optional(),
};

export const storedGrant = schemaOf<Grant>()(z.object(limits));

export const grantRecord = defineRecord({
  kind: "grant",
  title: "grant",
  pk: "GRANT#{tenant_id}",
  sk: "{dev_sub}",
  schema: schemaOf<GrantRecord>()(
    z.object({ tenant_id: z.string(), dev_sub: z.string(), ...limits, updated_at: z.string(), updated_by: z.string() }),
  ),
  version: 1,
  life: "until revoked",
  purge: { with: "workspace", by: "partition" },
  control: ["get", "batchGet", "query", "put", "delete"],
  written: "by the owner",
});
