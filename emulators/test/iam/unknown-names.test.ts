import { expect, test } from "@jest/globals";
import { Iam } from "../../iam/iam.ts";
import { allow, aRole, resources } from "../support/declared-iam.ts";

const typosOf = (...statements: object[]) => new Iam(resources(aRole("proxy", statements as never))).unknownNames();

test("an action that no AWS service has is found", async () => {
  expect(await typosOf(allow(["dynamodb:GetItem", "dynamodb:GetItme", "nosuch:Thing"], "*"))).toEqual([
    "RolePolicy proxy: AWS has no action dynamodb:GetItme",
    "RolePolicy proxy: AWS has no action nosuch:Thing",
  ]);
});

test("a condition key that no AWS service has is found", async () => {
  const statement = allow("dynamodb:GetItem", "*", { Condition: { StringEquals: { "dynamodb:LeadingKey": "a" } } });
  expect(await typosOf(statement)).toEqual(["RolePolicy proxy: AWS has no condition key dynamodb:leadingkey"]);
});

test("patterns and keys of tags and encryption contexts are not unknown names", async () => {
  const conditions = { StringEquals: { "kms:EncryptionContext:tenant_id": "a", "aws:PrincipalTag/tenant_id": "a" } };
  expect(await typosOf(allow(["kms:Decr*", "*"], "*", { Condition: conditions }))).toEqual([]);
});
