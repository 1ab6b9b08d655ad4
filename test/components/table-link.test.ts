import { expect, test } from "@jest/globals";
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { tableLink } from "../../components/link.ts";

const arn = "arn:aws:dynamodb:eu-central-1:000000000000:table/main";
const table = { name: pulumi.output("main"), arn: pulumi.output(arn) } as aws.dynamodb.Table;

function known<T>(output: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> {
  return new Promise((resolve) => pulumi.output(output).apply(resolve));
}

const leadingKeys = (...keys: string[]) => ({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys },
  Null: { "dynamodb:LeadingKeys": "false" },
});

test("a table's link is its name, with exactly the named rights, each for its kinds of records", async () => {
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

test("querying the first index needs a right of its own, for the index's keys", async () => {
  expect(await known(tableLink(table, { query: ["user"], index: ["tenant"] }).allow)).toEqual([
    { actions: ["dynamodb:Query"], resources: [arn], conditions: leadingKeys("USER#*") },
    { actions: ["dynamodb:Query"], resources: [`${arn}/index/gsi1`], conditions: leadingKeys("SLUG#*") },
  ]);
});

test("an update can be limited to named attributes", async () => {
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

test("a table's link without rights has no statement", async () => {
  expect(await known(tableLink(table, {}).allow)).toEqual([]);
});

test("querying the second index needs a right of its own, for that index's keys", async () => {
  const table = { name: pulumi.output("main"), arn: pulumi.output("arn:table") } as aws.dynamodb.Table;
  const { allow } = tableLink(table, { batchGet: ["spending"], index: ["tenant"], activeIndex: ["spending"] });
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
