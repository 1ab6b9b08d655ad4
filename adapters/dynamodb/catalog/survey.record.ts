// The record of the survey of the model host's lists.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const surveyRecord = defineRecord({
  kind: "survey",
  title: "survey of the model host",
  pk: "SURVEY#HOST",
  sk: "told",
  schema: z.object({ keys: z.array(z.string()) }),
  version: 1,
  life: "until the next survey replaces it",
  purge: { stays: "the program's own; it names no workspace" },
  written: "by `survey` once a day: the news that were told and are still there",
});
