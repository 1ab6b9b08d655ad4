import { expect, test } from "@jest/globals";
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { logLink, policyDocument, roleLink, tableLink } from "../../components/link.ts";

const arn = "arn:aws:dynamodb:eu-central-1:000000000000:table/main";
const table = { name: pulumi.output("main"), arn: pulumi.output(arn) } as aws.dynamodb.Table;

function known<T>(output: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> {
  return new Promise((resolve) => pulumi.output(output).apply(resolve));
}

test("a table's link is its name, with the rights that are named and no others", async () => {
  const link = tableLink(table, "get", "put", "update", "delete", "condition");
  expect(await known(link.value)).toBe("main");
  expect(await known(link.allow)).toEqual([
    {
      actions: [
        "dynamodb:GetItem",
        "dynamodb:PutItem",
        "dynamodb:UpdateItem",
        "dynamodb:DeleteItem",
        "dynamodb:ConditionCheckItem",
      ],
      resources: [arn],
    },
  ]);
});

test("only a query reaches the table's indexes", async () => {
  expect(await known(tableLink(table, "get", "query").allow)).toEqual([
    { actions: ["dynamodb:GetItem"], resources: [arn] },
    { actions: ["dynamodb:Query"], resources: [arn, `${arn}/index/*`] },
  ]);
});

test("no right is no statement", async () => {
  expect(await known(tableLink(table).allow)).toEqual([]);
});

test("a role's link may assume that role and tag the session", async () => {
  const role = "arn:aws:iam::000000000000:role/model-host";
  const link = roleLink(pulumi.output(role));
  expect(await known(link.value)).toBe(role);
  expect(await known(link.allow)).toEqual([{ actions: ["sts:AssumeRole", "sts:TagSession"], resources: [role] }]);
});

test("a log group's link may search it, and neither write nor delete", async () => {
  const group = "arn:aws:logs:eu-central-1:000000000000:log-group:proxy";
  const link = logLink({ name: pulumi.output("proxy"), arn: pulumi.output(group) } as aws.cloudwatch.LogGroup);
  expect(await known(link.value)).toBe("proxy");
  expect(await known(link.allow)).toEqual([{ actions: ["logs:FilterLogEvents"], resources: [`${group}:*`] }]);
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
