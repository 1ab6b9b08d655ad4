// The store of the news that the survey of the model host has told already.
import type { SurveyStore, TakenModelStore } from "../../../domain/catalog/survey.ts";
import type { Rows } from "../rows.ts";
import { surveyRecord, takenModelsRecord } from "./survey.record.ts";

export function surveyStore(rows: Rows): SurveyStore {
  const key = surveyRecord.key({});
  return {
    told: async () => surveyRecord.parse(await rows.get(key))?.keys ?? [],
    async remember(keys) {
      await rows.put({ ...key, keys: [...keys] });
    },
  };
}

export function takenModelStore(rows: Pick<Rows, "get" | "put">): TakenModelStore {
  const key = takenModelsRecord.key({});
  return {
    read: async () => takenModelsRecord.parse(await rows.get(key))?.models ?? [],
    async write(models) {
      await rows.put({ ...key, models: [...models] });
    },
  };
}
