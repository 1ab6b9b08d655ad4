// The record of an API key.
import * as z from "zod";
import type { ApiKey } from "../../../domain/access/api-key.ts";
import { tenantRole } from "../../../domain/people/user.ts";
import { storedGrant } from "../access/grant.record.ts";
import { defineRecord, schemaOf } from "../record.ts";

/** A key as it is stored: its row outlives the key, so its end is not in the attribute by which the table deletes rows. */
export type ApiKeyRow = Omit<ApiKey, "expires_at"> & { key_expires_at?: string };

export const apiKeyRecord = defineRecord({
  kind: "apiKey",
  title: "API key",
  pk: "KEY#{key_id}",
  sk: "KEY",
  index: { pk: "TENANT#{tenant_id}", sk: "KEY#{created_at}#{key_id}" },
  schema: schemaOf<ApiKeyRow>()(
    z.object({
      key_id: z.string(),
      tenant_id: z.string(),
      name: z.string(),
      mode: z.enum(["live", "test"]),
      hash: z.string(),
      last4: z.string(),
      role: tenantRole,
      caller_id: z.string(),
      scope: z.literal("proxy:invoke"),
      status: z.enum(["active", "revoked"]),
      created_by: z.string(),
      created_at: z.string(),
      key_expires_at: z.string().optional(),
      revoked_at: z.string().optional(),
      replaced_by: z.string().optional(),
      grant: storedGrant.optional(),
      version: z.number(),
    }),
  ),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "index" },
  control: ["get", "batchGet", "put", "update", "index"],
  written: "at creation, change, rotation and revocation",
});
