import { expect, test } from "@jest/globals";
import type { StoredRecord } from "../../../adapters/dynamodb/record.ts";
import { records } from "../../../adapters/dynamodb/records.ts";
import { invokeLink } from "../../../components/link.ts";
import { SkillBucket } from "../../../components/skills/skill-bucket.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { Purge } from "../../../components/tenant-platform/purge.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  const arn = (name: string) => invokeLink(`arn:aws:lambda:eu-central-1:000000000000:function:${name}-local`);
  const askedFunctions = { TENANT_KEYS_ARN: arn("tenant-keys"), ACCOUNTS_ARN: arn("accounts") };
  const bucket = new SkillBucket("skills");
  new Purge("purge", { table, askedFunctions, agentCore: arn("agentcore"), skillObjects: bucket.removing });
});
const purgeArn = "arn:aws:lambda:eu-central-1:000000000000:function:purge-local";
const tableArn = "arn:aws:dynamodb:eu-central-1:000000000000:table/archway-local";
const jobsArn = "arn:aws:sqs:eu-central-1:000000000000:purge-jobs-local";

type Statement = { Action: string[]; Resource: string[]; Condition?: Record<string, Record<string, string[]>> };
const statements: Statement[] = JSON.parse(
  program.get("aws:iam/rolePolicy:RolePolicy", "purge").inputs.policy,
).Statement;

/** What the partition keys begin with to which an operation of the table is allowed. */
function prefixesOf(operation: string): string[] {
  return statements
    .filter(({ Action, Resource }) => Action.includes(`dynamodb:${operation}`) && Resource.includes(tableArn))
    .flatMap(({ Condition }) => Condition?.["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"] ?? []);
}

test("the purge runs once an hour, and only its schedule may start it", () => {
  const rule = program.get("aws:cloudwatch/eventRule:EventRule", "purge").inputs;
  expect(rule).toEqual({ scheduleExpression: "rate(60 minutes)" });
  const target = program.get("aws:cloudwatch/eventTarget:EventTarget", "purge").inputs;
  expect(target).toMatchObject({ rule: "purge-local", arn: purgeArn });
  expect(program.get("aws:lambda/permission:Permission", "purge").inputs).toEqual({
    action: "lambda:InvokeFunction",
    function: "purge-local",
    principal: "events.amazonaws.com",
    sourceArn: "arn:aws:events:eu-central-1:000000000000:rule/purge-local",
  });
});

test("the purge queues the tenants, and removes one tenant for each invocation, two in parallel", () => {
  expect(statements).toContainEqual({ Effect: "Allow", Action: ["sqs:SendMessage"], Resource: [jobsArn] });
  const mapping = program.get("aws:lambda/eventSourceMapping:EventSourceMapping", "purge").inputs;
  expect(mapping).toMatchObject({
    eventSourceArn: jobsArn,
    functionName: purgeArn,
    batchSize: 1,
    scalingConfig: { maximumConcurrency: 2 },
    functionResponseTypes: ["ReportBatchItemFailures"],
  });
});

test("a purge that was given up raises an alarm", () => {
  const alarm = program.get("aws:cloudwatch/metricAlarm:MetricAlarm", "purge-jobs-dead-letters").inputs;
  expect(alarm.dimensions).toEqual({ QueueName: "purge-jobs-dead-letters-local" });
});

test("the purge may delete every kind of record that belongs to a workspace or a person, and writes only audit entries", () => {
  const all: StoredRecord[] = Object.values(records);
  const gone = all.filter(({ purge }) => "with" in purge && purge.with !== "owner");
  const prefixes = [...new Set(gone.map(({ prefix }) => `${prefix}*`))];
  expect(prefixesOf("DeleteItem").toSorted()).toEqual(prefixes.toSorted());
  expect(prefixesOf("PutItem")).toEqual([`${records.audit.prefix}*`]);
  expect(prefixesOf("UpdateItem")).toEqual([`${records.ownedTenants.prefix}*`]);
});

test("the purge may not scan the table", () => {
  expect(statements.flatMap(({ Action }) => Action)).not.toContain("dynamodb:Scan");
});
