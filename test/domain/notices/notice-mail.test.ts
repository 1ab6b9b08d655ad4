import { describe, expect, test } from "@jest/globals";
import { plainMail } from "../../../domain/kernel/mail.ts";
import { mailOf } from "../../../domain/mails/words.ts";
import type { NoticeSubject } from "../../../domain/notices/notice.ts";
import { noticeMail } from "../../../domain/notices/notice-mail.ts";

const tenant = { tenant_id: "t1", name: "Müller & Söhne", slug: "mueller-soehne" };
const platform = { brand: "Archway", apiUrl: "https://api.example.com", consoleUrl: "https://console.example.com" };
const month = "2026-12";

function mail(subject: NoticeSubject, used: number, limit: number, threshold: 50 | 80 | 100, name = tenant.name) {
  const record = { threshold, used, limit };
  return mailOf(noticeMail({ tenant: { ...tenant, name }, subject, record }, platform), "ann@acme.example", platform);
}

test("the mail about a cap says what is used and left, what happens at 100 %, when the next month begins and where to change the cap", () => {
  const { subject, text } = mail({ kind: "cap", tenant_id: "t1", month }, 8.1e9, 1e10, 80);
  expect(subject).toBe("80 % of the workspace's monthly cap is used (mueller-soehne)");
  expect(text.split("\n\n")).toEqual([
    "Workspace: Müller & Söhne (mueller-soehne) on Archway",
    "80 % of the workspace's monthly cap, for all its callers together, is used: 8.10 USD of 10.00 USD. 1.90 USD are left.",
    "At 100 % all calls of all callers are refused (429), yours included.",
    "It begins anew on 1 January 2027 at 00:00 UTC.",
    "You can raise the cap, in the console or by PATCH https://api.example.com/v1/tenants/t1 with monthly_cap_usd. It counts within a minute.",
    "Change the cap: https://console.example.com/settings",
    "Figures are as of the last quarter of an hour. Calls in flight are not among them.",
    "You get this mail because you own the workspace. If the use is not yours, look for an API key that others may have.",
  ]);
});

test("the mail about a limit at 100 % says what happens now, and that nothing is left", () => {
  const { text } = mail({ kind: "cap", tenant_id: "t1", month }, 1.2e10, 1e10, 100);
  expect(text).toContain("12.00 USD of 10.00 USD. 0.00 USD are left.");
  expect(text).toContain("From now on all calls");
});

test("the mail about a budget tells a person who can change it, and the owner where to change it", () => {
  const own = mail({ kind: "budget", tenant_id: "t1", month, caller_id: "sub-1" }, 5, 10, 50);
  expect(own.text).toContain("The owner of the workspace can change your budget,");
  expect(own.text).toContain("PUT https://api.example.com/v1/grants/sub-1");
  const account = mail({ kind: "budget", tenant_id: "t1", month, caller_id: "sa_1" }, 5, 10, 50);
  expect(account.text).toContain("the monthly budget of the service account sa_1 is used");
  expect(account.text).toContain("PATCH https://api.example.com/v1/keys/");
});

test("the mail about free credit counts tokens, and does not promise new ones", () => {
  const { text } = mail({ kind: "credit", tenant_id: "t1" }, 8_000, 10_000, 80);
  expect(text).toContain("8000 tokens of 10000 tokens. 2000 tokens are left.");
  expect(text).toContain("until the workspace has a payment method");
  expect(text).not.toContain("begins anew");
});

describe("a name", () => {
  test.each(["https://evil.example/login", "evil.example\r\nBcc: all@acme.example", "<a href=//evil.example>x</a>"])(
    "a name in the mail of a notice cannot add a link, markup or a header: %j",
    (name) => {
      const written = mail({ kind: "cap", tenant_id: "t1", month }, 5, 10, 50, name);
      expect(written.text).not.toMatch(/evil\.|[<>]|\r|@/);
      expect(written.html).not.toMatch(/evil\.|acme\.example/);
      expect(written.subject).toBe("50 % of the workspace's monthly cap is used (mueller-soehne)");
      expect(plainMail(written)).toEqual(written);
    },
  );
});
