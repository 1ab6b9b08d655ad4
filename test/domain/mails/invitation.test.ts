import { describe, expect, test } from "@jest/globals";
import { type Invitation, invitation } from "../../../domain/mails/invitation.ts";
import { mailOf, plainTextOf } from "../../../domain/mails/words.ts";

const platform = { brand: "Archway", consoleUrl: "https://console.test" };
const workspace = { name: "Acme Größe", slug: "acme-grosse" };
const invited: Invitation = {
  workspace,
  inviter: "ann@acme.test",
  username: "{username}",
  password: "{####}",
  days: 7,
  providers: [],
};
const textFor = (change: Partial<Invitation>) => plainTextOf(invitation({ ...invited, ...change }, platform));

describe("the mail to a stranger", () => {
  test("the mail of an invitation names inviter, workspace, sign-in page, password and lifetime", () => {
    const { subject } = invitation(invited, platform);
    const text = textFor({});
    expect(subject).toBe("You are invited to Acme Größe on Archway");
    expect(text).toMatch(/^ann@acme\.test invites you to the workspace Acme Größe \(acme-grosse\) on Archway\./);
    expect(text).toContain("Sign in: https://console.test");
    expect(text).toContain("Your username is: {username}");
    expect(text).toContain("Your temporary password is: {####}");
    expect(text).toContain("good for 7 days");
    expect(text).toContain("If you do not know ann@acme.test, do nothing");
  });

  test("the mail of an invitation warns of the pages that do not work for an invited person", () => {
    expect(textFor({})).toMatch(/“Sign up” says .* “Forgot your password\?” does not work .* ask ann@acme\.test/);
  });

  test("the mail of an invitation names the providers through which no password is needed", () => {
    expect(textFor({})).not.toContain("works too");
    expect(textFor({ providers: ["Google", "Corp-SSO"] })).toContain("Google or Corp-SSO works too");
  });

  test("the mail of an invitation works without a workspace, for an account that an operator creates", () => {
    const { subject } = invitation({ ...invited, workspace: undefined, inviter: undefined }, platform);
    expect(subject).toBe("You are invited to Archway");
    expect(textFor({ workspace: undefined, inviter: undefined })).toMatch(/^There is an account for you at Archway\./);
  });
});

test.each([
  "Pay now: https://evil.test/x or mail x@evil.test",
  "<a href=//evil.test>x</a>",
  "evil.test\r\nBcc: a@b.test",
])("the mail of an invitation shows no address or markup from a workspace's name: %j", (name) => {
  const into = { workspace: { name, slug: "pay-now" }, inviter: undefined };
  const { subject, text, html } = mailOf(invitation({ ...invited, ...into }, platform), "ben@acme.test", platform);
  expect(`${subject} ${text}`).not.toMatch(/evil\.test|[<>]|\r|b\.test/);
  expect(html).not.toContain("evil.test");
});

test("a workspace's name without letters is replaced by its slug in the mail of an invitation", () => {
  expect(invitation({ ...invited, workspace: { name: "!!!", slug: "x1" } }, platform).subject).toBe(
    "You are invited to x1 on Archway",
  );
});
