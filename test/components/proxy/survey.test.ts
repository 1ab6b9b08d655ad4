import { expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { Survey } from "../../../components/proxy/survey.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const { "archway:modelHost": modelHost, ...atHome } = await readStackConfig(localStackFile);

function declared(more: Record<string, string> = {}) {
  const config = stackConfig({ ...atHome, ...more });
  return declarationsOf(() => {
    const { table } = new PlatformTable("archway");
    new Survey("survey", { config, table });
  });
}

type Declared = Awaited<ReturnType<typeof declared>>;

const statementsOf = (program: Declared, role: string): { Action: string[]; Resource: string[] }[] =>
  JSON.parse(program.get("aws:iam/rolePolicy:RolePolicy", role).inputs.policy).Statement;

test("the role of the lists may only list, in the platform's regions, and trusts the survey alone", async () => {
  const program = await declared();
  expect(JSON.parse(program.get("aws:iam/policy:Policy", "model-lists").inputs.policy).Statement).toEqual([
    {
      Effect: "Allow",
      Action: [
        "bedrock:ListFoundationModels",
        "bedrock:ListInferenceProfiles",
        "bedrock:GetFoundationModelAvailability",
      ],
      Resource: ["*"],
      Condition: { StringEquals: { "aws:RequestedRegion": ["eu-central-1", "eu-central-2", "us-east-1"] } },
    },
  ]);
  const [trust] = JSON.parse(program.get("aws:iam/role:Role", "model-lists").inputs.assumeRolePolicy).Statement;
  expect([trust.Action, trust.Condition]).toEqual([
    "sts:AssumeRole",
    { ArnEquals: { "aws:PrincipalArn": "arn:aws:iam::000000000000:role/survey-local" } },
  ]);
});

test("the survey may assume that role and keep its row, and has no right to call a model", async () => {
  const program = await declared();
  const actions = statementsOf(program, "survey").flatMap(({ Action }) => Action);
  expect(actions.filter((action) => !action.startsWith("logs:"))).toEqual([
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "sts:AssumeRole",
  ]);
});

test("the role of the lists lies in the model host's account, if another one has the models", async () => {
  const program = await declared({
    "archway:modelHost": modelHost ?? '{"account":"111111111111","deploymentRole":"deploy"}',
  });
  const { options } = program.get("aws:iam/role:Role", "model-lists-111111111111");
  expect(options.provider).toBeDefined();
  expect(statementsOf(program, "survey")).toContainEqual({
    Effect: "Allow",
    Action: ["sts:AssumeRole"],
    Resource: ["arn:aws:iam::111111111111:role/model-lists-111111111111-local"],
  });
});

test("the survey runs once a day, and an alarm counts each kind of line that it logs", async () => {
  const program = await declared();
  expect(program.get("aws:cloudwatch/eventRule:EventRule", "survey").inputs.scheduleExpression).toBe(
    "rate(1440 minutes)",
  );
  const alarms = program.ofType("aws:cloudwatch/metricAlarm:MetricAlarm").map(({ name }) => name);
  expect(alarms).toEqual(expect.arrayContaining(["survey-difference", "survey-news", "survey-silent"]));
});
