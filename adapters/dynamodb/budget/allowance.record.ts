// The record of how much of the usage that an owner may leave unpaid was drawn in slices by callers, and how much was paid.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const allowanceRecord = defineRecord({
  kind: "allowance",
  title: "allowance",
  pk: "ALLOWANCE#{owner_sub}",
  sk: "ALLOWANCE",
  schema: z
    .object({
      drawn: z.number().optional(),
      paid: z.number().optional(),
      settled: z.number().optional(),
      ceiling: z.number().optional(),
      owed: z.number().optional(),
      shares: z.set(z.string()).optional(),
      takeback_until: z.number().optional(),
      looked_at: z.number().optional(),
      looked_drawn: z.number().optional(),
      in_flight: z.number().optional(),
    })
    .catchall(z.number()),
  version: 1,
  life: "until the owner's last workspace is purged",
  purge: { with: "owner", by: "key" },
  control: ["get"],
  written:
    "`drawn` by admissions of callers who need a slice, and by refused draws and the meter, which give back; `paid`, `settled` and `ceiling` with each reading of the owner's state at the payment provider; `owed` and `shares` if a debt was left, or if other owners have the same card",
});

/** The attributes of those who draw slices. */
const drawnAttributes = ["pk", "sk", "drawn"] as const;
/** The attributes of a take-back of idle slices: its lock, and what the last take-back found. */
export const takeBackAttributes = [
  ...drawnAttributes,
  "takeback_until",
  "looked_at",
  "looked_drawn",
  "in_flight",
] as const;
/** The attributes of those who read at the provider what was paid. */
export const paidAttributes = ["pk", "sk", "paid", "p#*", "settled", "ceiling", "drawn", "owed", "shares"] as const;
/** The meter counts what nobody explains, too: an attribute for each month. */
export const countedAttributes = [...drawnAttributes, "u#*"] as const;
