// The survey: a function that compares the catalog with the model host's lists once a day, by a role that may only read them.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { regions } from "../../domain/catalog/region.ts";
import { differenceMessage, newsMessage } from "../../domain/catalog/survey.ts";
import { survey } from "../../handlers/survey/contract.ts";
import { alarmAbove, countedLines } from "../alarm.ts";
import type { StackConfig } from "../config.ts";
import { LambdaFunction, lambdaRole } from "../lambda-function.ts";
import { assumeLink, type Statement, tableLink } from "../link.ts";
import { Schedule } from "../schedule.ts";
import { accountRole } from "./account-role.ts";

type SurveyArgs = { config: StackConfig; table: aws.dynamodb.Table };

export class Survey extends pulumi.ComponentResource {
  constructor(name: string, { config, table }: SurveyArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Survey", name, {}, opts);
    // The role is made before the function, because the trust of the lists' role names it.
    const role = lambdaRole(name, { parent: this });
    const lists = accountRole("model-lists", { config, callerRole: role, statements: [reading] }, { parent: this });
    const fn = new LambdaFunction(
      name,
      {
        contract: survey,
        role,
        catalogFile: config.catalog,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["survey", ...takenUp(config)],
            put: ["survey", ...takenUp(config)],
          }),
          NEW_MODELS: JSON.stringify(config.newModels),
          MODEL_LISTS_ROLE_ARN: assumeLink(lists.arn),
        },
      },
      { parent: this },
    );
    new Schedule(name, { function: fn, everyMinutes: 24 * 60 }, { parent: this });
    const { logGroup } = fn;
    for (const [alarm, text] of [
      ["survey-difference", differenceMessage],
      ["survey-news", newsMessage],
    ] as const) {
      const metric = countedLines(alarm, { logGroup, text }, { parent: this });
      alarmAbove(alarm, { at: logGroup.name, metric }, { parent: this });
    }
    this.registerOutputs({});
  }
}

/** Whether the stack takes up new models, as functions read it. */
export function takesUp({ newModels }: StackConfig): "true" | "false" {
  return newModels.length > 0 ? "true" : "false";
}

/** The record of the models that were taken up, in a stack that takes up any. */
export function takenUp(config: StackConfig): ["takenModels"] | [] {
  return takesUp(config) === "true" ? ["takenModels"] : [];
}

/** The lists of a region: they name no resource that a policy could narrow. */
const reading: Statement = {
  actions: ["bedrock:ListFoundationModels", "bedrock:ListInferenceProfiles", "bedrock:GetFoundationModelAvailability"],
  resources: ["*"],
  conditions: { StringEquals: { "aws:RequestedRegion": [...regions] } },
};
