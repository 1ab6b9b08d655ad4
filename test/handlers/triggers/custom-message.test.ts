import { beforeEach, describe, expect, test } from "@jest/globals";
import type { CustomMessageTriggerEvent } from "aws-lambda";
import type { Log } from "../../../domain/kernel/log.ts";
import type { Profile, UserStore } from "../../../domain/people/user.ts";
import { customMessage } from "../../../handlers/triggers/custom-message.ts";

const platform = { brand: "Acme AI", consoleUrl: "https://console.acme.example" };

let people: Profile[] | Error = [];
const problems: string[] = [];
const deps = {
  ...{ platform, identityProviders: ["Google"] },
  users: {
    withAddress: async () => {
      if (people instanceof Error) throw people;
      return people;
    },
  } as Partial<UserStore> as UserStore,
  log: { problem: (message: string) => problems.push(message) } as Partial<Log> as Log,
};

beforeEach(() => {
  people = [];
  problems.length = 0;
});

async function worded(source: string, clientMetadata?: Record<string, string>) {
  const response = { smsMessage: null, emailMessage: null, emailSubject: null };
  const userAttributes = { sub: "ann", email: "ann@acme.test" };
  const request = { userAttributes, codeParameter: "{####}", linkParameter: "", usernameParameter: "{username}" };
  const event = { triggerSource: `CustomMessage_${source}`, request: { ...request, clientMetadata }, response };
  return (await customMessage(event as unknown as CustomMessageTriggerEvent, deps)).response;
}

test.each([
  ["SignUp", "Confirm your address for Acme AI", "within 23 hours"],
  ["ResendCode", "Confirm your address for Acme AI", "within 23 hours"],
  ["ForgotPassword", "Your new password for Acme AI", "within an hour"],
  ["UpdateUserAttribute", "Confirm your new address for Acme AI", "within a day"],
  ["VerifyUserAttribute", "Confirm your new address for Acme AI", "within a day"],
])(
  "the code of %s is mailed with its lifetime, and with advice if the reader did not request it",
  async (source, subject, lifetime) => {
    const { emailSubject, emailMessage } = await worded(source);
    expect(emailSubject).toBe(subject);
    for (const part of ["{####}", lifetime, "If it was not you", "Acme AI"]) expect(emailMessage).toContain(part);
  },
);

test("the mail of an invitation names the workspace and the inviter that the call gave", async () => {
  const metadata = { workspace_name: "Acme", workspace_slug: "acme", inviter: "ann@acme.test" };
  const { emailSubject, emailMessage } = await worded("AdminCreateUser", metadata);
  expect(emailSubject).toBe("You are invited to Acme on Acme AI");
  for (const part of ["{####}", "{username}", "ann@acme.test", "Acme (acme)", "7 days", "Google"]) {
    expect(emailMessage).toContain(part);
  }
});

test("the mail of an invitation works without inviter and workspace, because Cognito may not pass them", async () => {
  const { emailSubject, emailMessage } = await worded("AdminCreateUser");
  expect(emailSubject).toBe("You are invited to Acme AI");
  expect(emailMessage).toMatch(/\{username\}.*\{####\}/s);
});

test("the longest mail is within Cognito's limits", async () => {
  const metadata = { workspace_name: "x".repeat(500), workspace_slug: "x".repeat(63), inviter: "x".repeat(128) };
  const { emailSubject, emailMessage } = await worded("AdminCreateUser", metadata);
  expect(emailSubject?.length).toBeLessThanOrEqual(140);
  expect(emailMessage?.length).toBeLessThanOrEqual(20_000);
});

test("a message of another kind keeps Cognito's text", async () => {
  expect(await worded("Authentication")).toMatchObject({ emailMessage: null });
});

describe("who signs up with a password beside an account of a provider", () => {
  const first: Profile = {
    ...{ sub: "google", email: "Ann@acme.test", approval_status: "approved", created_at: "2026-11-21T05:00:00.000Z" },
    ...{ provider: "Google", email_verified: true },
  };

  test("a person who signs up with a password beside a provider's account is told in the code's mail that there will be two accounts", async () => {
    people = [first];
    for (const source of ["SignUp", "ResendCode"]) {
      const { emailMessage } = await worded(source);
      for (const part of ["{####}", "already", "sign in with Google"]) expect(emailMessage).toContain(part);
    }
  });

  test.each<[string, Partial<Profile>]>([
    ["an account that proved nothing", { email_verified: false }],
    ["their own account", { sub: "ann" }],
    ["an account with a similar address", { email: "ann@acme.tesTİ" }],
  ])("reads nothing of %s", async (_, change) => {
    people = [{ ...first, ...change }];
    expect((await worded("SignUp")).emailMessage).not.toContain("already");
  });

  test("a person who signs up gets the code even if other accounts cannot be looked up", async () => {
    people = new Error("the store does not answer");
    expect((await worded("SignUp")).emailMessage).toContain("{####}");
    expect(problems).toHaveLength(1);
  });
});
