import { expect, test } from "@jest/globals";
import { type Definitions, type Statement, unknownRights } from "./rights.ts";

/** As the reference writes what stands for any value. */
const any = (name: string) => `\${${name}}`;

const definitions: Definitions = {
  dynamodb: {
    privileges: {
      GetItem: {
        resource_types: {
          table: { condition_keys: [] },
          "": { condition_keys: ["dynamodb:LeadingKeys", "dynamodb:Select"] },
        },
      },
      ListTables: { resource_types: { "": { condition_keys: [] } } },
    },
    resources: {
      table: {
        arn: `arn:${any("Partition")}:dynamodb:${any("Region")}:${any("Account")}:table/${any("TableName")}`,
        condition_keys: [`aws:ResourceTag/${any("TagKey")}`],
      },
    },
    conditions: {
      "dynamodb:LeadingKeys": { type: "ArrayOfString" },
      "dynamodb:Select": { type: "String" },
      [`aws:ResourceTag/${any("TagKey")}`]: { type: "String" },
    },
  },
};

const table = "arn:aws:dynamodb:eu-central-1:000000000000:table/archway";
const getItem = (changes: Partial<Statement> = {}) =>
  unknownRights({ Action: "dynamodb:GetItem", Resource: table, ...changes }, definitions);

test("a right that AWS's reference contains is no problem", () => {
  const Condition = {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": "TENANT#*" },
    StringEquals: { "dynamodb:Select": "COUNT", "aws:ResourceTag/team": "a", "aws:RequestedRegion": "eu-central-1" },
    Null: { "dynamodb:LeadingKeys": "false", "dynamodb:Select": "false" },
  };
  expect(getItem({ Condition })).toEqual([]);
});

test.each(["dynamodb:GetItems", "dynamo:GetItem", "GetItem"])("%s is refused as an action of IAM", (Action) => {
  expect(getItem({ Action: ["dynamodb:GetItem", Action] })).toEqual([`${Action} is no action`]);
});

test.each(["arn:aws:dynamodb:*:000000000000:table/*", "arn:aws:dynamodb:*:*:*", "*"])(
  "the resource %s can be a table",
  (arn) => {
    expect(getItem({ Resource: [table, arn] })).toEqual([]);
  },
);

test.each([
  table.replace("table", "tables"),
  "arn:aws:dynamodb::000000000000:table/archway",
  "arn:aws:s3:eu-central-1:000000000000:table/archway",
  "archway",
])("the resource %s cannot be a table", (arn) => {
  expect(getItem({ Resource: [table, arn] })).toEqual([`dynamodb:GetItem is not for ${arn}`]);
});

test("an action without resource types is allowed only on all resources", () => {
  expect(getItem({ Action: "dynamodb:ListTables", Resource: "*" })).toEqual([]);
  expect(getItem({ Action: "dynamodb:ListTables" })).toEqual([`dynamodb:ListTables is not for ${table}`]);
});

test.each(["dynamodb:LeadingKey", "aws:RequestTag/team", "aws:RequestedRegions"])(
  "AWS's reference has no condition key %s",
  (key) => {
    expect(getItem({ Condition: { StringEquals: { [key]: "a" } } })).toEqual([
      `dynamodb:GetItem has no condition key ${key}`,
    ]);
  },
);

test("conditions on multi-valued keys use set operators, on single-valued keys none", () => {
  const Condition = {
    StringLike: { "dynamodb:LeadingKeys": "TENANT#*" },
    "ForAllValues:StringEquals": { "dynamodb:Select": "COUNT" },
  };
  expect(getItem({ Condition })).toEqual([
    "dynamodb:LeadingKeys of dynamodb:GetItem is ArrayOfString, which StringLike does not compare",
    "dynamodb:Select of dynamodb:GetItem is String, which ForAllValues:StringEquals does not compare",
  ]);
});

test("the list of rights that AWS's pages have and its reference data lacks is exact", () => {
  const arn = `arn:${any("Partition")}:bedrock:${any("Region")}::foundation-model/${any("ResourceId")}`;
  const bedrock = {
    privileges: { InvokeModel: { resource_types: { "foundation-model": { condition_keys: [] } } } },
    resources: { "foundation-model": { arn, condition_keys: [] } },
    conditions: {},
  };
  const mantle = {
    privileges: { CreateInference: { resource_types: { project: { condition_keys: [] } } } },
    resources: { project: { arn: arn.replace("::foundation-model", "::project"), condition_keys: [] } },
    conditions: {},
  };
  const problems = (Action: string, Resource: string) =>
    unknownRights({ Action, Resource }, { bedrock, "bedrock-mantle": mantle });
  expect(problems("bedrock:InvokeModel", "arn:aws:bedrock:::foundation-model/a")).toEqual([]);
  expect(problems("bedrock:InvokeModel", "arn:aws:bedrock:::project/a")).toHaveLength(1);
  expect(problems("bedrock-mantle:CountTokens", "arn:aws:bedrock:eu-west-1::project/default")).toEqual([]);
  expect(problems("bedrock-mantle:CountTokens", "arn:aws:bedrock:eu-west-1::model/a")).toHaveLength(1);
  expect(problems("bedrock-mantle:CountToken", "*")).toEqual(["bedrock-mantle:CountToken is no action"]);
});
