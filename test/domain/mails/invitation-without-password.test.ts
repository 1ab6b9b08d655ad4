import { expect, test } from "@jest/globals";
import { invitationWithoutPassword } from "../../../domain/mails/invitation-without-password.ts";
import { mailOf, plainTextOf } from "../../../domain/mails/words.ts";

const platform = { brand: "Archway", consoleUrl: "https://console.test" };
const invited = {
  workspace: { name: "Acme Größe", slug: "acme-grosse" },
  inviter: "ann@acme.test",
  hasSignedIn: true,
  days: 7,
};

test("the mail to a person with an account says who invites to which workspace, and where to answer", () => {
  const mail = mailOf(invitationWithoutPassword(invited, platform), "ben@acme.test", platform);
  expect(mail.subject).toBe("You are invited to Acme Größe on Archway");
  expect(mail.text).toMatch(/^ann@acme\.test invites you to the workspace Acme Größe \(acme-grosse\) on Archway\./);
  expect(mail.text).toContain("Accept or decline: https://console.test/workspaces");
  expect(mail.text).toContain("has no end");
  expect(mail.text).not.toContain("password");
  expect(plainTextOf(invitationWithoutPassword({ ...invited, inviter: undefined }, platform))).toMatch(
    /^The owner invites/,
  );
});

test("the mail to a person whom another workspace has invited says that the password of the earlier mail is still the one to use", () => {
  const text = plainTextOf(invitationWithoutPassword({ ...invited, hasSignedIn: false }, platform));
  expect(text).toContain("the temporary password of your account is in its mail");
  expect(text).toContain("older than 7 days, ask ann@acme.test to send this invitation again");
  expect(text).toContain("ends after 7 days");
});

test.each([
  "Pay now: https://evil.test/x or mail x@evil.test",
  "<a href=//evil.test>x</a>",
  "evil.test\r\nBcc: a@b.test",
])("the mail of an invitation without a password shows no address or markup from a workspace's name: %j", (name) => {
  const words = invitationWithoutPassword({ ...invited, workspace: { name, slug: "pay-now" } }, platform);
  const { subject, text, html } = mailOf(words, "ben@acme.test", platform);
  expect(`${subject} ${text}`).not.toMatch(/evil\.test|[<>]|\r|b\.test/);
  expect(html).not.toContain("evil.test");
});
