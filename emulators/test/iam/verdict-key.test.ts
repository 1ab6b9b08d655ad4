import { expect, test } from "@jest/globals";
import { parsePolicy } from "../../iam/policy.ts";
import { distinguishable } from "../../iam/verdict-key.ts";
import { allow, document } from "../support/declared-iam.ts";

const key = "aws:RequestedRegion";

function seen(condition: object, value: string | string[]) {
  const statement = allow("s3:GetObject", "*", { Condition: condition });
  return distinguishable({ [key]: value }, [parsePolicy("p", document(statement), "identity")])[key];
}

test("values that match the same patterns share a decision", () => {
  const condition = { StringLike: { [key]: ["eu-*", "us-*"] }, StringNotEquals: { [key]: "eu-west-1" } };
  expect(seen(condition, "eu-central-1")).toEqual(seen(condition, "eu-north-1"));
  expect(seen(condition, "eu-west-1")).not.toEqual(seen(condition, "eu-north-1"));
  expect(seen(condition, "us-east-1")).not.toEqual(seen(condition, "eu-north-1"));
});

test("a single value and a list with one value have different decisions", () => {
  const condition = { StringLike: { [key]: "eu-*" } };
  expect(seen(condition, "eu-west-1")).not.toEqual(seen(condition, ["eu-west-1"]));
});

test("a condition that tests only presence decides alike for all values", () => {
  const condition = { Null: { [key]: "false" } };
  expect(seen(condition, "eu-west-1")).toEqual(seen(condition, "us-east-1"));
});

test.each(["StringEqualsIgnoreCase", "ArnLike", "NumericEquals", "DateEquals"])(
  "a condition with %s is decided by the value itself",
  (operator) => {
    expect(seen({ [operator]: { [key]: "1" }, StringLike: { [key]: "*" } }, "2")).toBe("2");
  },
);

test("one policy that needs a value makes the decision depend on the value", () => {
  const statements = [
    allow("s3:GetObject", "*", { Condition: { StringLike: { [key]: "eu-*" } } }),
    allow("s3:GetObject", `arn:aws:s3:::files-\${${key}}/*`),
  ];
  const policies = statements.map((statement) => parsePolicy("p", document(statement), "identity"));
  expect(distinguishable({ [key]: "eu-west-1" }, policies)).toEqual({ [key]: "eu-west-1" });
});
