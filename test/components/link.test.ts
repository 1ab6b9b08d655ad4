import { expect, test } from "@jest/globals";
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { policyDocument, roleLink, sendLink, tableLink } from "../../components/link.ts";

const arn = "arn:aws:dynamodb:eu-central-1:000000000000:table/main";
const table = { name: pulumi.output("main"), arn: pulumi.output(arn) } as aws.dynamodb.Table;

function known<T>(output: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> {
  return new Promise((resolve) => pulumi.output(output).apply(resolve));
}

const leadingKeys = (...keys: string[]) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys },
  Null: { "dynamodb:LeadingKeys": "false" },
});

test("a table's link is its name, with the rights that are named and no others, each for its kinds of records", async () => {
  const link = tableLink(table, {
    get: ["tenant", "apiKey"],
    query: ["user"],
    put: ["ledger"],
    update: ["spending", "credit"],
    delete: ["grant"],
    condition: ["user"],
  });
  expect(await known(link.value)).toBe("main");
  const statement = (action: string, ...keys: string[]) => ({
    actions: [`dynamodb:${action}`],
    resources: [arn],
    conditions: leadingKeys(...keys),
  });
  expect(await known(link.allow)).toEqual([
    statement("GetItem", "TENANT#*", "KEY#*"),
    statement("Query", "USER#*"),
    statement("PutItem", "LEDGER#*"),
    statement("UpdateItem", "SPENDING#*", "CREDIT#*"),
    statement("DeleteItem", "GRANT#*"),
    statement("ConditionCheckItem", "USER#*"),
  ]);
});

test("a query of the index is a right of its own, for the index's keys", async () => {
  expect(await known(tableLink(table, { query: ["user"], index: ["slug"] }).allow)).toEqual([
    { actions: ["dynamodb:Query"], resources: [arn], conditions: leadingKeys("USER#*") },
    { actions: ["dynamodb:Query"], resources: [`${arn}/index/gsi1`], conditions: leadingKeys("SLUG#*") },
  ]);
});

test("an update can be limited to the attributes that it may name", async () => {
  expect(await known(tableLink(table, { updateOnly: { user: ["pk", "sk", "email"] } }).allow)).toEqual([
    {
      actions: ["dynamodb:UpdateItem"],
      resources: [arn],
      conditions: {
        "ForAllValues:StringLike": {
          "dynamodb:LeadingKeys": ["USER#*"],
          "dynamodb:Attributes": ["pk", "sk", "email"],
        },
        Null: { "dynamodb:LeadingKeys": "false", "dynamodb:Attributes": "false" },
      },
    },
  ]);
});

test("no right is no statement", async () => {
  expect(await known(tableLink(table, {}).allow)).toEqual([]);
});

test("a role's link may assume that role and tag the session", async () => {
  const role = "arn:aws:iam::000000000000:role/model-host";
  const link = roleLink(pulumi.output(role));
  expect(await known(link.value)).toBe(role);
  expect(await known(link.allow)).toEqual([{ actions: ["sts:AssumeRole", "sts:TagSession"], resources: [role] }]);
});

test("a query of the index of active callers is a right of its own, by that index's keys", async () => {
  const table = { name: pulumi.output("main"), arn: pulumi.output("arn:table") } as aws.dynamodb.Table;
  const { allow } = tableLink(table, { batchGet: ["spending"], index: ["slug"], activeIndex: ["activeCaller"] });
  const conditions = (prefix: string) => ({
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [prefix] },
    Null: { "dynamodb:LeadingKeys": "false" },
  });
  expect(await known(allow)).toEqual([
    { actions: ["dynamodb:BatchGetItem"], resources: ["arn:table"], conditions: conditions("SPENDING#*") },
    { actions: ["dynamodb:Query"], resources: ["arn:table/index/gsi1"], conditions: conditions("SLUG#*") },
    { actions: ["dynamodb:Query"], resources: ["arn:table/index/gsi2"], conditions: conditions("ACTIVE#*") },
  ]);
});

test("a policy document is plain JSON with every output resolved", async () => {
  const document = policyDocument([
    { actions: ["s3:GetObject"], resources: [pulumi.interpolate`${arn}/*`] },
    {
      actions: ["s3:PutObject"],
      resources: ["*"],
      conditions: { StringEquals: { "aws:RequestTag/a": pulumi.output("b") } },
    },
  ]);
  expect(JSON.parse(await known(document))).toEqual({
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Action: ["s3:GetObject"], Resource: [`${arn}/*`] },
      {
        Effect: "Allow",
        Action: ["s3:PutObject"],
        Resource: ["*"],
        Condition: { StringEquals: { "aws:RequestTag/a": "b" } },
      },
    ],
  });
});

test("a queue's link is its URL, with the right to send to it alone", async () => {
  const url = "https://sqs.eu-central-1.amazonaws.com/000000000000/jobs";
  const queueArn = "arn:aws:sqs:eu-central-1:000000000000:jobs";
  const link = sendLink({ url: pulumi.output(url), arn: pulumi.output(queueArn) } as aws.sqs.Queue);
  expect(await known(link.value)).toBe(url);
  expect(await known(link.allow)).toEqual([{ actions: ["sqs:SendMessage"], resources: [queueArn] }]);
});
