import { expect, test } from "@jest/globals";
import { accountIn } from "../../aws/account.ts";

test("the account is read from an ARN; an ARN without an account has none", () => {
  expect(accountIn("arn:aws:iam::111111111111:role/proxy")).toBe("111111111111");
  expect(accountIn("arn:aws:logs:eu-central-1:000000000000:log-group:a:*")).toBe("000000000000");
  expect(accountIn("arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-5")).toBeUndefined();
  expect(accountIn("arn:aws:s3:::files/a")).toBeUndefined();
  expect(accountIn("lambda.amazonaws.com")).toBeUndefined();
});
