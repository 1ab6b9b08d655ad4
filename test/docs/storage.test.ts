// docs/storage.md against what the records declare, and against the program's policies.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { creditAttributes } from "../../adapters/dynamodb/budget/credit.record.ts";
import { signInAttributes } from "../../adapters/dynamodb/people/user.record.ts";
import { markAttributes, paymentState } from "../../adapters/dynamodb/workspace/tenant.record.ts";
import { drawn, type Policy, storageFile } from "../../docs/storage.ts";
import { declaredProgram } from "../support/program/pulumi-program.ts";

type Statement = {
  Action: string[];
  Resource: string[];
  Condition?: Record<string, Record<string, string[] | string>>;
};

const program = await declaredProgram();
const policies = program.ofType("aws:iam/rolePolicy:RolePolicy");

function statementsOf(policy: string): Statement[] {
  const found = policies.find(({ name }) => name === policy);
  const { Statement } = JSON.parse(found?.inputs.policy) as { Statement: Statement[] };
  return Statement.filter(({ Action }) => Action.some((action) => action.startsWith("dynamodb:")));
}

const keysOf = (condition: Statement["Condition"]) =>
  [condition?.["ForAllValues:StringLike"]?.["dynamodb:LeadingKeys"] ?? []].flat();

test("the tables of docs/storage.md are up to date: npm run docs:storage", () => {
  const page = readFileSync(storageFile, "utf8");
  expect(drawn(page, policies as unknown as Policy[])).toBe(page);
});

test("every right of a function to the table is limited to partition keys", () => {
  for (const { inputs } of policies) {
    const { Statement } = JSON.parse(inputs.policy) as { Statement: Statement[] };
    for (const { Action, Resource, Condition } of Statement.filter(({ Action }) => /dynamodb:/.test(Action.join()))) {
      expect(Action).toHaveLength(1);
      expect(Action[0]).toMatch(/^dynamodb:(BatchGet|Get|Put|Update|Delete|ConditionCheck)Item$|^dynamodb:Query$/);
      expect(Condition?.["ForAllValues:StringLike"]).toHaveProperty(["dynamodb:LeadingKeys"]);
      expect(Condition?.Null).toMatchObject({ "dynamodb:LeadingKeys": "false" });
      expect(Resource).toEqual([expect.stringMatching(/:table\/archway-local(\/index\/gsi[12])?$/)]);
    }
  }
});

test.each([
  ["triggers", "USER#", signInAttributes],
  ["meter", "TENANT#", markAttributes],
  ["meter", "CREDIT#", creditAttributes],
  ["settle", "CREDIT#", creditAttributes],
  ["proxy", "CREDIT#", creditAttributes],
  ["webhook", "TENANT#", ["pk", "sk", "version", ...paymentState]],
] as const)("the updates of %s to %s name exactly the attributes that it writes", (name, prefix, attributes) => {
  const updates = statementsOf(name).filter(({ Action }) => Action.includes("dynamodb:UpdateItem"));
  const ofKind = updates.filter(({ Condition }) => keysOf(Condition).includes(`${prefix}*`));
  expect(ofKind.map(({ Condition }) => Condition)).toEqual([
    {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${prefix}*`], "dynamodb:Attributes": attributes },
      Null: { "dynamodb:LeadingKeys": "false", "dynamodb:Attributes": "false" },
    },
  ]);
});

test("each policy is far below IAM's limit of 10,240 characters for the inline policies of a role", () => {
  for (const { name } of policies) expect(JSON.stringify(statementsOf(name)).length).toBeLessThan(5_000);
});
