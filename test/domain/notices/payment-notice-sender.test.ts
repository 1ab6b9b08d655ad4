import { beforeEach, describe, expect, test } from "@jest/globals";
import { disputedReason, unpaidReason } from "../../../domain/billing/debt.ts";
import type { PaymentNotice } from "../../../domain/billing/payment-notice.ts";
import type { Mail } from "../../../domain/kernel/mail.ts";
import type { MailState } from "../../../domain/notices/notice.ts";
import { PaymentNoticeSender } from "../../../domain/notices/payment-notice-sender.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const invoice = { id: "in_1", number: "A-1", month: "2026-11", totalCents: 310, dueCents: 310, currency: "usd" };
const of = (what: PaymentNotice["what"], about = "in_1"): PaymentNotice => ({
  kind: "payment",
  tenant_id: "t1",
  ...{ what, about },
  ...(what !== "resumed" && { invoice: { ...invoice, nextAttemptAt: 1e12, url: "https://invoice.example" } }),
});

let tenant: Tenant | undefined;
let records: Map<string, MailState>;
let mails: Mail[];
let sender: PaymentNoticeSender;
const nameOf = ({ what, about }: PaymentNotice) => `${what} ${about}`;
beforeEach(() => {
  tenant = aTenantOf("owner", "t1", { status: "active", name: "Acme", slug: "acme" });
  records = new Map();
  mails = [];
  sender = new PaymentNoticeSender({
    paymentRecords: {
      get: async (notice) => records.get(nameOf(notice)),
      put: async (notice, record) => records.set(nameOf(notice), record).size > 0,
    },
    tenants: { get: async () => tenant },
    users: {
      record: async (sub) => ({
        profile: {
          sub,
          email: "owner@acme.test",
          approval_status: "approved",
          created_at: "",
          provider: "password",
          email_verified: true,
        },
        memberships: [],
        activeTenants: {},
      }),
    },
    mailer: { send: async (mail) => (mails.push(mail) > 0 ? "sent" : "none") },
    platform: { brand: "Archway", apiUrl: "https://api.example.com", consoleUrl: "https://console.example.com" },
    log: { info: () => {}, problem: () => {} },
    clock: () => 1,
  });
});

async function mailed(notice: PaymentNotice): Promise<string | undefined> {
  records.set(nameOf(notice), { state: "due", changed_at: 0, version: 1 });
  await sender.send(notice);
  await sender.send(notice);
  return records.get(nameOf(notice))?.state;
}

describe("a notice goes", () => {
  test.each(["invoice_final", "payment_failed", "action_required", "resumed"] as const)(
    "a payment notice is mailed once: %s",
    async (what) => {
      expect(await mailed(of(what))).toBe("sent");
      expect(mails).toMatchObject([
        { to: "owner@acme.test", text: expect.stringContaining("because you own the workspace") },
      ]);
      if (what !== "resumed") expect(mails[0]?.text).toContain("3.10 USD");
    },
  );

  test("a payment notice is mailed to the addresses that the owner has given", async () => {
    tenant = { ...(tenant as Tenant), billing_emails: ["books@acme.test", "cfo@acme.test"] };
    await mailed(of("invoice_final"));
    expect(mails.map(({ to }) => to)).toEqual([["books@acme.test", "cfo@acme.test"]]);
  });

  test.each([unpaidReason, disputedReason])(
    "a payment notice is mailed while the workspace is suspended: %s",
    async (suspended_reason) => {
      tenant = { ...(tenant as Tenant), status: "suspended", suspended_reason };
      expect(await mailed(of("suspended"))).toBe("sent");
      expect(await mailed(of("resumed"))).toBe("dropped");
    },
  );
});

describe("a notice is dropped", () => {
  test("a payment notice is dropped if its event was undone, or if an administrator has suspended the workspace", async () => {
    expect(await mailed(of("suspended"))).toBe("dropped");
    tenant = { ...(tenant as Tenant), status: "suspended", suspended_reason: "Spam" };
    expect(await mailed(of("suspended", "in_2"))).toBe("dropped");
  });

  test("a payment notice about a failed payment is dropped if the payment waits for the person's confirmation, which has its own notice", async () => {
    await mailed(of("action_required"));
    expect(await mailed(of("payment_failed", "in_1#7"))).toBe("dropped");
    expect(mails).toHaveLength(1);
  });

  test("a payment notice about a purged workspace is dropped", async () => {
    tenant = undefined;
    expect(await mailed(of("invoice_final"))).toBe("dropped");
    expect(mails).toEqual([]);
  });
});

test("a payment notice without a record is not mailed", async () => {
  await sender.send(of("invoice_final"));
  expect(mails).toEqual([]);
});
