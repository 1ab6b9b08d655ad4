import { describe, expect, test } from "@jest/globals";
import { disputedReason, unpaidReason } from "../../../domain/billing/debt.ts";
import type { PaymentEventKind } from "../../../domain/billing/payment-event.ts";
import { paymentNoticeSchema, paymentNotices } from "../../../domain/billing/payment-notice.ts";
import type { PaymentInvoice } from "../../../domain/billing/payment-provider.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { resumed, suspended } from "../../../domain/workspace/tenant-change.ts";
import { anInvoice } from "../../support/billing/invoices.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const nothing = { event: undefined, invoice: undefined, invoices: [], changes: [], newDebts: [] };
const ofEvent = (kind: PaymentEventKind, invoice: Partial<PaymentInvoice> = {}) => {
  const event = { id: "evt_1", kind, type: "of the provider", objectId: "in_1" };
  const notices = paymentNotices({ ...nothing, event, invoice: anInvoice(invoice) });
  for (const notice of notices) expect(paymentNoticeSchema.parse(notice)).toEqual(notice);
  return notices.map(({ what, about }) => `${what} ${about}`);
};
const change = (before: Tenant, after: Tenant) => ({ before, after });
const active = aTenantOf("owner", "t1", { status: "active" });

describe("an event", () => {
  test("an event of a final invoice sends a mail, except for an invoice of 0", () => {
    expect(ofEvent("invoice_final")).toEqual(["invoice_final in_1"]);
    expect(ofEvent("invoice_final", { totalCents: 0 })).toEqual([]);
    expect(ofEvent("invoice_final", { tenantId: undefined })).toEqual([]);
  });

  test("an event of a failed payment sends a mail for each planned attempt; after the last attempt the workspace is suspended", () => {
    expect(ofEvent("payment_failed", { nextAttemptAt: 7 })).toEqual(["payment_failed in_1#7"]);
    expect(ofEvent("payment_failed")).toEqual([]);
    expect(ofEvent("payment_failed", { nextAttemptAt: 7, status: "paid" })).toEqual([]);
  });

  test("an event of a payment that needs the person's confirmation sends one mail for the invoice", () => {
    expect(ofEvent("action_required", { nextAttemptAt: 7 })).toEqual(["action_required in_1"]);
    expect(ofEvent("action_required", { status: "paid" })).toEqual([]);
  });

  test("an event of another kind sends no mail", () => {
    expect([ofEvent("invoice_created"), ofEvent("changed"), ofEvent("changed", { nextAttemptAt: 7 })]).toEqual([
      [],
      [],
      [],
    ]);
  });
});

test("a mail has an invoice's number, its page, the next attempt and the time of an early invoice, as far as there are any", () => {
  const event = { id: "evt_1", kind: "invoice_final", type: "of the provider", objectId: "in_1" } as const;
  const named = (changes: Partial<PaymentInvoice>) =>
    paymentNotices({ ...nothing, event, invoice: anInvoice(changes) })[0]?.invoice ?? {};
  const createdAt = Date.parse("2026-11-21T05:00:00Z");
  const all = { number: "A-1", url: "https://pay.example.com", nextAttemptAt: 7 };
  expect(named({ ...all, createdAt, subscriptionId: undefined })).toMatchObject({ ...all, madeEarlyAt: createdAt });
  for (const name of ["number", "url", "nextAttemptAt", "madeEarlyAt"]) expect(named({})).not.toHaveProperty(name);
});

describe("a change", () => {
  test("the mail about a suspension names the unpaid invoice, and repeats are the same mail", () => {
    const invoices = [anInvoice({ id: "in_2", dueCents: 500 })];
    const at = (now: number) =>
      paymentNotices({
        ...nothing,
        invoices,
        newDebts: ["in_2"],
        changes: [change(active, suspended(active, unpaidReason, now))],
      });
    expect(at(1)).toMatchObject([{ what: "suspended", about: "in_2", invoice: { id: "in_2", dueCents: 500 } }]);
    expect(at(1)).toEqual(at(2));
  });

  test("the mail about a suspension names the workspace's own unpaid invoice, or the workspace whose invoice it is", () => {
    const label = { workspace: "South (south)", purchaseOrder: undefined };
    const invoices = [anInvoice({ id: "in_3", tenantId: "t2", label }), anInvoice({ id: "in_2" })];
    const named = (newDebts: string[]) => {
      const changes = [change(active, suspended(active, unpaidReason, 1))];
      const [notice] = paymentNotices({ ...nothing, invoices, newDebts, changes });
      expect(paymentNoticeSchema.parse(notice)).toEqual(notice);
      return [notice?.about, notice?.invoice?.id, notice?.invoice?.workspace];
    };
    expect(named(["in_3", "in_2"])).toEqual(["in_3", "in_2", undefined]);
    expect(named(["in_3"])).toEqual(["in_3", "in_3", "South (south)"]);
  });

  test("the mail about a suspension for a dispute names no invoice", () => {
    const changes = [change(active, suspended(active, disputedReason, 1))];
    const [notice] = paymentNotices({ ...nothing, invoices: [anInvoice()], newDebts: ["du_1"], changes });
    expect(notice).toEqual({ kind: "payment", tenant_id: "t1", what: "suspended", about: "du_1" });
  });

  test("the end of a suspension sends a mail, and a change of the payment method does not", () => {
    const before = suspended(active, unpaidReason, Date.parse("2026-11-21T05:00:00Z"));
    expect(paymentNotices({ ...nothing, changes: [change(before, resumed(before))] })).toMatchObject([
      { what: "resumed", about: "2026-11-21T05:00:00.000Z" },
    ]);
    const changes = [change(active, { ...active, has_payment_method: true })];
    expect(paymentNotices({ ...nothing, changes })).toEqual([]);
  });
});
