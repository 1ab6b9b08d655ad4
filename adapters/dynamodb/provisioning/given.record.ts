// The record of how many free credits are given on a day.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const givenRecord = defineRecord({
  kind: "given",
  title: "credits given",
  pk: "GIVEN#{day}",
  sk: "DAY",
  schema: z.object({ given: z.number() }),
  version: 1,
  life: { days: 7 },
  purge: { stays: "one number for the whole platform, which expires" },
  control: ["update"],
  written:
    "by `control` and `reconcile`, with each free credit of a workspace whose owner has no payment method: their number on that day (UTC)",
});
