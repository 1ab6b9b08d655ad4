// The records of the survey of the model host's lists: what it told, and the models that it took up.
import * as z from "zod";
import { takenModelSchema } from "../../../domain/catalog/taken-up.ts";
import { defineRecord } from "../record.ts";

export const takenModelsRecord = defineRecord({
  kind: "takenModels",
  title: "models taken up",
  pk: "TAKENMODELS#HOST",
  sk: "models",
  schema: z.object({ models: z.array(takenModelSchema) }),
  version: 1,
  life: "until the next survey replaces it",
  purge: { stays: "the program's own; it names no workspace" },
  written: "by `survey` once a day, in a stack with `archway:newModels`",
});

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
