// The record that says whose a slug is.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const slugReservationRecord = defineRecord({
  kind: "slugReservation",
  title: "slug reservation",
  pk: "SLUG#{slug}",
  sk: "SLUG",
  schema: z.object({ tenant_id: z.string() }),
  version: 1,
  life: "with the slug",
  purge: { with: "workspace", by: "transaction" },
  control: ["get", "put", "delete"],
  written: "in the tenant's transaction",
});
