import { describe, expect, test } from "@jest/globals";
import { invitationMail, nextMailAt } from "../../../domain/workspace/invitation-mail.ts";

describe("the mail to somebody with an account", () => {
  test("says who added them to what, and where to go", () => {
    const mail = invitationMail(
      "ben@acme.test",
      { name: "Acme Größe", slug: "acme-grosse" },
      "ann@acme.test",
      "https://c.test",
    );
    expect(mail).toMatchObject({ to: "ben@acme.test", subject: "You were added to a workspace" });
    expect(mail.text).toMatch(/^ann@acme.test has added you to the workspace Acme Größe \(acme-grosse\)\./);
    expect(mail.text).toContain("https://c.test");
  });

  test("carries no address that a workspace's name would smuggle in", () => {
    const name = "Pay now: https://evil.test/x or mail x@evil.test";
    const { text } = invitationMail("ben@acme.test", { name, slug: "pay-now" }, undefined, undefined);
    expect(text).not.toMatch(/https?:|evil\.test|@/);
    expect(text).toMatch(/^The owner has added you/);
  });
});

test("the next mail waits ten minutes for the one before", () => {
  expect(nextMailAt({})).toBe(0);
  expect(new Date(nextMailAt({ mailed_at: "2026-11-21T05:00:00.000Z" })).toISOString()).toBe(
    "2026-11-21T05:10:00.000Z",
  );
});
