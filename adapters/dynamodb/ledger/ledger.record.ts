// The record of a settled call.
import * as z from "zod";
import { type LedgerRow, ledgerRetention } from "../../../domain/ledger/ledger.ts";
import { defineRecord, schemaOf } from "../record.ts";

const usage = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write_5m: z.number(),
  cache_write_1h: z.number(),
});

export const ledgerRecord = defineRecord({
  kind: "ledger",
  title: "ledger row",
  pk: "LEDGER#{tenant_id}#{hour}",
  sk: "{request_id}",
  schema: schemaOf<LedgerRow>()(
    z.object({
      tenant_id: z.string(),
      caller_id: z.string(),
      request_id: z.string(),
      key_id: z.string().optional(),
      session_id: z.string().optional(),
      agent_id: z.string().optional(),
      admitted_at: z.string(),
      settled_at: z.string(),
      model: z.string(),
      profile: z.string(),
      region: z.string(),
      usage,
      cost: z.number(),
      parts: usage.extend({ saved: z.number() }).optional(),
      source: z.enum(["final", "drained", "estimated"]),
      known: z.object({ cost: z.number(), tokens: z.number() }).optional(),
      version: z.number(),
      provisional: z.literal(true).optional(),
      on_credit: z.literal(true).optional(),
      on_platform: z.literal(true).optional(),
      billed: z.number().optional(),
      given_back: z.number().optional(),
    }),
  ),
  version: 1,
  life: ledgerRetention,
  purge: { with: "workspace", by: "partition" },
  control: ["query"],
  written: "by settlement and reclaim; a provisional row is replaced once by the true usage",
});
