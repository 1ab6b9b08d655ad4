import { expect, test } from "@jest/globals";
import type { CustomMessageTriggerEvent } from "aws-lambda";
import { customMessage } from "../../../handlers/triggers/custom-message.ts";

const platform = { brand: "Acme AI", consoleUrl: "https://console.acme.example" };

function worded(source: string, clientMetadata?: Record<string, string>) {
  const response = { smsMessage: null, emailMessage: null, emailSubject: null };
  const request = { userAttributes: {}, codeParameter: "{####}", linkParameter: "", usernameParameter: "{username}" };
  const event = { triggerSource: `CustomMessage_${source}`, request: { ...request, clientMetadata }, response };
  return customMessage(event as unknown as CustomMessageTriggerEvent, { platform, identityProviders: ["Google"] })
    .response;
}

test.each([
  ["SignUp", "Confirm your address for Acme AI", "within 23 hours"],
  ["ResendCode", "Confirm your address for Acme AI", "within 23 hours"],
  ["ForgotPassword", "Your new password for Acme AI", "within an hour"],
  ["UpdateUserAttribute", "Confirm your new address for Acme AI", "within a day"],
  ["VerifyUserAttribute", "Confirm your new address for Acme AI", "within a day"],
])(
  "the code of %s is mailed with its lifetime, and what to do if it was somebody else",
  (source, subject, lifetime) => {
    const { emailSubject, emailMessage } = worded(source);
    expect(emailSubject).toBe(subject);
    for (const part of ["{####}", lifetime, "If it was not you", "Acme AI"]) expect(emailMessage).toContain(part);
  },
);

test("an invitation names workspace and inviter, which the call gave", () => {
  const metadata = { workspace_name: "Acme", workspace_slug: "acme", inviter: "ann@acme.test" };
  const { emailSubject, emailMessage } = worded("AdminCreateUser", metadata);
  expect(emailSubject).toBe("You are invited to Acme on Acme AI");
  for (const part of ["{####}", "{username}", "ann@acme.test", "Acme (acme)", "7 days", "Google"]) {
    expect(emailMessage).toContain(part);
  }
});

test("an invitation stands without them too: Cognito may give a trigger nothing of the call", () => {
  const { emailSubject, emailMessage } = worded("AdminCreateUser");
  expect(emailSubject).toBe("You are invited to Acme AI");
  expect(emailMessage).toMatch(/\{username\}.*\{####\}/s);
});

test("its longest words keep to Cognito's lengths", () => {
  const metadata = { workspace_name: "x".repeat(500), workspace_slug: "x".repeat(63), inviter: "x".repeat(128) };
  const { emailSubject, emailMessage } = worded("AdminCreateUser", metadata);
  expect(emailSubject?.length).toBeLessThanOrEqual(140);
  expect(emailMessage?.length).toBeLessThanOrEqual(20_000);
});

test("a message of another kind keeps Cognito's words", () => {
  expect(worded("Authentication")).toMatchObject({ emailMessage: null });
});
