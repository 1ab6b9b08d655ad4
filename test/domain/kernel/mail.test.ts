import { describe, expect, test } from "@jest/globals";
import { nameInMail, plainMail, sameAddress } from "../../../domain/kernel/mail.ts";

const mail = { to: "ann@acme.example", subject: "Invitation", text: "Hello\nAnn", html: "<p>Hello<br>\nAnn</p>" };

describe("a mail", () => {
  test("an ordinary mail is not changed", () => {
    expect(plainMail(mail)).toEqual(mail);
  });

  test.each([
    "ann@acme.example\r\nBcc: all@acme.example",
    "ann@acme.example, bob@acme.example",
    "ann@acme.example;bob@acme.example",
    "Ann <ann@acme.example>",
    "ann@acme.example ",
    "ann",
    "",
    "a@b@c",
  ])("a mail goes to exactly one address, which cannot be %j", (to) => {
    expect(() => plainMail({ ...mail, to })).toThrow("A mail goes to plain addresses");
  });

  test("a mail has its subject on one line, so that no part of it becomes a header", () => {
    const subject = "Hi\r\nBcc: all@acme.example\u2028\u0000\u202ex";
    expect(plainMail({ ...mail, subject }).subject).toBe("Hi Bcc: all@acme.example x");
  });

  test("a mail keeps its line breaks, and loses invisible characters", () => {
    const odd = "one\r\ntwo\u0007\u202e\u200b\ud800";
    expect(plainMail({ ...mail, text: odd, html: odd })).toMatchObject({ text: "one\ntwo", html: "one\ntwo" });
  });

  test("a mail has a maximal length, and is cut only between characters", () => {
    const { subject, text } = plainMail({ ...mail, subject: "😀".repeat(200), text: "x".repeat(20_000) });
    expect(subject).toBe(`${"😀".repeat(149)}…`);
    expect(text).toHaveLength(10_000);
  });
});

describe("a name in a mail", () => {
  test.each(["Müller & Söhne", "Acme (EU) + Co", "東京支社", "R2-D2_3", "O'Neil"])(
    "an ordinary name in a mail is not changed: %s",
    (name) => {
      expect(nameInMail(name)).toBe(name);
    },
  );

  test.each([
    ["https://evil.example/login", "https evil example login"],
    ["evil.example", "evil example"],
    ["evil。example", "evil example"],
    ["mail ann@evil.example now!", "mail ann evil example now"],
    ["tel:+4930123", "tel +4930123"],
    ['<a href="x">y</a>', "a href x y a"],
    ["one\r\n\r\ntwo\u202e", "one two"],
    ["...", ""],
  ])("a name in a mail contains nothing that a mail program turns into a link: %j", (name, shown) => {
    expect(nameInMail(name)).toBe(shown);
  });

  test("a long name in a mail is shortened", () => {
    expect(nameInMail("x".repeat(100))).toBe(`${"x".repeat(59)}…`);
  });
});

test("e-mail addresses are compared without the case of ASCII letters, and only of these", () => {
  expect(sameAddress("Kate@Acme.example", "kate@acme.EXAMPLE")).toBe(true);
  // The Kelvin sign, whose lower case is a k.
  expect(sameAddress("\u212Aate@acme.example", "kate@acme.example")).toBe(false);
  expect(sameAddress(undefined, "kate@acme.example")).toBe(false);
});
