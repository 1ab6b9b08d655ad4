import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { redacted } from "../../adapters/redaction.ts";

test.each([
  [
    "User: arn:aws:sts::123456789012:assumed-role/proxy/abc is not authorized to perform: bedrock:InvokeModel",
    "User: [resource] is not authorized to perform: bedrock:InvokeModel",
  ],
  ['on "arn:aws:bedrock:eu-central-1::foundation-model/x", denied', 'on "[resource]", denied'],
  ["arn:aws-us-gov:s3:::bucket; arn:aws-cn:iam::1:role/x", "[resource]; [resource]"],
  ["ARN:AWS:iam::123456789012:root", "[resource]"],
  ["account 123456789012.", "account [account]."],
  ["prompt is too long: 210000 tokens > 200000 maximum", "prompt is too long: 210000 tokens > 200000 maximum"],
  ["1234567890123 is no account", "1234567890123 is no account"],
])("an ARN or account number is redacted: %s", (text, result) => {
  expect(redacted(text)).toBe(result);
});

test("every ARN and account number is redacted, whatever is around it", () => {
  const account = fc.stringMatching(/^[0-9]{12}$/);
  const arn = fc
    .tuple(account, fc.constantFrom("role/x", "inference-profile/eu.y"))
    .map(([id, name]) => `arn:aws:iam::${id}:${name}`);
  fc.assert(
    fc.property(fc.string(), arn, account, (text, arn, account) => {
      const result = redacted(`${text} ${arn} and ${account} ${text}`);
      expect(result).not.toContain(arn);
      expect(result).not.toContain(` ${account} `);
    }),
  );
});
