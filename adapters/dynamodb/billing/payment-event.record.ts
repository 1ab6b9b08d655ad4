// The record of a processed event of the payment provider.
import * as z from "zod";
import { defineRecord } from "../record.ts";

/** Stripe repeats a delivery for 3 days, and its dashboard can send one again for 30. */
const life = { days: 35 } as const;

export const paymentEventRecord = defineRecord({
  kind: "paymentEvent",
  title: "payment event",
  pk: "EVENT#{event_id}",
  sk: "EVENT",
  schema: z.object({ event_id: z.string(), done_at: z.string() }),
  version: 1,
  life: life,
  purge: { stays: "identifies no person" },
  written: "in the transaction of the changes that an event of the payment provider causes",
});
