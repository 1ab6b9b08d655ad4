import { expect, test } from "@jest/globals";
import { plainMail } from "../../../domain/kernel/mail.ts";
import { mailOf, type Part } from "../../../domain/mails/words.ts";

const platform = { brand: "Acme & Söhne", consoleUrl: "https://console.acme.example" };
const words = {
  subject: "A code",
  parts: [
    "Hello <b>you</b>",
    { label: "Your code is", code: "{####}" },
    { label: "Go on", link: "https://a.example/?b&c" },
  ],
};

test("the text of a mail has each part as a paragraph", () => {
  expect(mailOf(words, "ann@acme.test", platform)).toMatchObject({
    to: "ann@acme.test",
    subject: "A code",
    text: "Hello <b>you</b>\n\nYour code is: {####}\n\nGo on: https://a.example/?b&c",
  });
});

test("the HTML of a mail names the platform, shows the address of each link, and escapes markup in names", () => {
  const { html } = mailOf(words, "ann@acme.test", platform);
  expect(html).toContain("Acme &amp; Söhne");
  expect(html).toContain("Hello &lt;b&gt;you&lt;/b&gt;");
  expect(html).toMatch(/<a href="https:\/\/a\.example\/\?b&amp;c"[^>]*>https:\/\/a\.example\/\?b&amp;c<\/a>/);
  expect(html).toContain(">{####}</span>");
});

test("the page that a mail is about is a button; if a code is to be typed in, it is a plain link", () => {
  const buttons = (parts: Part[]) => {
    const { html = "" } = mailOf({ subject: "A page", parts }, "ann@acme.test", platform);
    return [...html.matchAll(/<a [^>]*background[^>]*>([^<]*)</g)].map(([, label]) => label);
  };
  const [first, second] = [
    { label: "Pay it", link: "https://a.example/pay" },
    { label: "Another card", link: "https://a.example/card" },
  ];
  expect(buttons(["Unpaid", first, second])).toEqual(["Pay it"]);
  expect(buttons([{ label: "Your code is", code: "1" }, first])).toEqual([]);
});

test("the end of a mail, why it was sent and what to do, is in small print", () => {
  const parts = ["You owe.", "You get this mail because you own the workspace."];
  const { html } = mailOf({ subject: "Due", parts }, "ann@acme.test", platform);
  expect([...String(html).matchAll(/<p [^>]*14px[^>]*>([^<]*)/g)].map(([, text]) => text)).toEqual([parts[1]]);
});

test("a mail loads nothing, runs nothing, and its HTML is sent unchanged", () => {
  const mail = mailOf(words, "ann@acme.test", platform);
  expect(mail.html).not.toMatch(/<(img|script|link|style|iframe)|src=|url\(/);
  expect(plainMail(mail)).toEqual(mail);
});
