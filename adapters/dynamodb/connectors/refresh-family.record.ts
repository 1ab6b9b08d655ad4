// The record of a family of refresh tokens: the generation that a sign-in of an MCP client has come to. No token is in it.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const refreshFamilyRecord = defineRecord({
  kind: "refreshFamily",
  title: "refresh tokens of an MCP client's sign-in",
  pk: "REFRESHFAMILY#{tenant_id}",
  sk: "FAMILY#{family_id}",
  schema: z.object({
    tenant_id: z.string(),
    family_id: z.string(),
    generation: z.int(),
    since: z.number(),
    stale_seen_at: z.string().optional(),
  }),
  version: 1,
  life: { days: 1, after: "the end of the sign-in" },
  purge: { with: "workspace", by: "partition" },
  written: "by `oauth`, when a refresh token is replaced, at most once an hour",
});
