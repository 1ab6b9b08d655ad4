import { expect, test } from "@jest/globals";
import { parsePolicy, statementId } from "../../iam/policy.ts";
import { allow, document } from "../support/declared-iam.ts";

test("a policy lists every condition key and variable that it uses", () => {
  const statement = allow("s3:GetObject", `arn:aws:s3:::files/\${aws:PrincipalTag/tenant_id}/*`, {
    Condition: { StringEquals: { "aws:RequestedRegion": `\${aws:PrincipalTag/home, 'us-east-1'}` } },
  });
  const { keys } = parsePolicy("p", document(statement), "identity");
  expect([...keys].sort()).toEqual(["aws:principaltag/home", "aws:principaltag/tenant_id", "aws:requestedregion"]);
});

test("an escaped asterisk is not a variable", () => {
  expect(parsePolicy("p", document(allow("s3:GetObject", `arn:aws:s3:::a\${*}b`)), "identity").keys.size).toBe(0);
});

test("a condition on a global key that the stack does not supply is refused", () => {
  const byVpc = allow("s3:GetObject", "*", { Condition: { StringEquals: { "aws:SourceVpc": "vpc-1" } } });
  expect(() => parsePolicy("files", document(byVpc), "identity")).toThrow(/files: .*aws:sourcevpc/);
});

test("a condition on a key of DynamoDB that the stack does not supply is refused", () => {
  const counted = allow("dynamodb:Query", "*", { Condition: { StringEquals: { "dynamodb:Select": "COUNT" } } });
  expect(() => parsePolicy("p", document(counted), "identity")).toThrow(/p: .*dynamodb:select/);
});

test("every problem of a policy is reported with its place in the policy", () => {
  const text = document({ Effect: "Alow", Action: "s3:GetObject", Resource: "*" }, { Effect: "Allow", Resource: "*" });
  expect(() => parsePolicy("p", text, "identity")).toThrow(/Statement\[0\]\.Effect.*; Statement\[1\]/);
});

test("a statement is named by its Sid, or else by its position", () => {
  const { statements } = parsePolicy(
    "p",
    document(allow("s3:*", "*", { Sid: "Files" }), allow("sqs:*", "*")),
    "identity",
  );
  expect(statements.map((statement) => statementId("p", statement))).toEqual(["p#Files", "p#2"]);
});
