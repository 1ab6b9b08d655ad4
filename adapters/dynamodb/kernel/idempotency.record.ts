// The record of a request that creates something once.
import * as z from "zod";
import { type IdempotencyRecord, idempotencyRetention } from "../../../domain/kernel/idempotency.ts";
import { defineRecord, schemaOf } from "../record.ts";

export const idempotencyRecord = defineRecord({
  kind: "idempotency",
  title: "idempotency record",
  pk: "IDEMPOTENCY#{sub}",
  sk: "{key}",
  schema: schemaOf<IdempotencyRecord>()(
    z.object({ request_hash: z.string(), resource_id: z.string(), answer: z.unknown().optional() }),
  ),
  version: 1,
  life: idempotencyRetention,
  purge: { stays: "belongs to a person, and expires" },
  control: ["get", "put", "update"],
  written: "before a resource is created, and again with the answer",
});
