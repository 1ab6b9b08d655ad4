// What the survey of the model host has told, in the table.
import type { SurveyStore } from "../../../domain/catalog/survey.ts";
import type { Rows } from "../rows.ts";
import { surveyRecord } from "./survey.record.ts";

export function surveyStore(rows: Rows): SurveyStore {
  const key = surveyRecord.key({});
  return {
    told: async () => surveyRecord.parse(await rows.get(key))?.keys ?? [],
    async remember(keys) {
      await rows.put({ ...key, keys: [...keys] });
    },
  };
}
