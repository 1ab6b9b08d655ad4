import { expect, test } from "@jest/globals";
import { Mailbox } from "../mailbox.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const aMail = (to: string, subject = "Your code") => ({ to, subject, text: "123456" });

test("a mail is stored with its time, newest last", () => {
  const mailbox = new Mailbox();
  mailbox.deliver(aMail("a@acme.test", "first"), now);
  mailbox.deliver(aMail("b@acme.test", "second"), now + 1_000);
  expect(mailbox.mails()).toEqual([
    { ...aMail("a@acme.test", "first"), at: "2026-11-21T05:00:00.000Z" },
    { ...aMail("b@acme.test", "second"), at: "2026-11-21T05:00:01.000Z" },
  ]);
});

test("mails are found by recipient, in any spelling of the address", () => {
  const mailbox = new Mailbox();
  mailbox.deliver(aMail("Ada@Acme.test"), now);
  mailbox.deliver(aMail("b@acme.test"), now);
  expect(mailbox.mails("ada@acme.TEST")).toHaveLength(1);
  expect(mailbox.mails("acme.test")).toEqual([]);
});

test("the mailbox drops the oldest mails beyond a thousand", () => {
  const mailbox = new Mailbox();
  for (let mail = 0; mail <= 1_000; mail++) mailbox.deliver(aMail("a@acme.test", String(mail)), now);
  const subjects = mailbox.mails().map(({ subject }) => subject);
  expect([subjects.length, subjects[0], subjects.at(-1)]).toEqual([1_000, "1", "1000"]);
});

test("addresses in a mail lead to the local stack", () => {
  const mailbox = new Mailbox((text) => text.replaceAll("https://api.acme.test", "http://127.0.0.1:8787"));
  const text = "PATCH https://api.acme.test/v1/things";
  mailbox.deliver({ ...aMail("a@acme.test"), text, html: '<a href="https://api.acme.test">x</a>' }, now);
  expect(mailbox.mails()).toMatchObject([
    {
      text: "PATCH http://127.0.0.1:8787/v1/things",
      html: '<a href="http://127.0.0.1:8787">x</a>',
    },
  ]);
});
