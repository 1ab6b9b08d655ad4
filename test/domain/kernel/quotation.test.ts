import { expect, test } from "@jest/globals";
import { named } from "../../../domain/kernel/quotation.ts";

test.each(["gpt-4", "us-east-1", "claude-opus-4-8[1m]", "anthropic/claude", "eu.anthropic.claude-sonnet-4-5-v1:0"])(
  "a text that can be a name is quoted in a message: %s",
  (text) => {
    expect(named("model", text)).toBe(`model "${text}"`);
  },
);

test.each([
  "",
  "<script>",
  "two words",
  "\u001b[31mred",
  "a\nb",
  "\ud800",
  "x".repeat(81),
  "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/x",
])("a text that cannot be a name is not quoted in a message: %j", (text) => {
  expect(named("model", text)).toBe("model asked for");
});
