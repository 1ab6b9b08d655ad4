// Once a day compares the catalog with what the model host and its price list say.
import { type SurveyDependencies, survey } from "../../domain/catalog/survey.ts";
import { scheduledWorkDone } from "../../domain/kernel/log.ts";

export function surveyHandler(deps: SurveyDependencies) {
  return async () => {
    try {
      const findings = await survey(deps);
      deps.log.info(scheduledWorkDone, { findings: findings.length });
    } catch (error) {
      deps.log.problem("The model host could not be surveyed", {}, error);
      throw error;
    }
  };
}
