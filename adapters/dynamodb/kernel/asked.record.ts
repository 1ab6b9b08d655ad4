// The record of how far a person is ahead of time with questions that are paid for in time.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const askedRecord = defineRecord({
  kind: "asked",
  title: "questions paid in time",
  pk: "ASKED#{sub}",
  sk: "{kind}",
  schema: z.object({ paid_until: z.number() }),
  version: 1,
  life: { days: 1, after: "the last" },
  purge: { stays: "belongs to a person, and expires" },
  control: ["update"],
  written: "by the control plane, with each question of the person about usage, or to an outside system",
});
