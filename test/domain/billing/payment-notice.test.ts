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
  test("of a final invoice is told, but for an invoice of nothing", () => {
    expect(ofEvent("invoice_final")).toEqual(["invoice_final in_1"]);
    expect(ofEvent("invoice_final", { totalCents: 0 })).toEqual([]);
    expect(ofEvent("invoice_final", { tenantId: undefined })).toEqual([]);
  });

  test("of a failed payment is told once for each attempt that follows; the last one suspends", () => {
    expect(ofEvent("payment_failed", { nextAttemptAt: 7 })).toEqual(["payment_failed in_1#7"]);
    expect(ofEvent("payment_failed")).toEqual([]);
    expect(ofEvent("payment_failed", { nextAttemptAt: 7, status: "paid" })).toEqual([]);
  });

  test("of a payment that waits for a person is told once for the invoice", () => {
    expect(ofEvent("action_required", { nextAttemptAt: 7 })).toEqual(["action_required in_1"]);
    expect(ofEvent("action_required", { status: "paid" })).toEqual([]);
  });

  test("of another kind tells nothing", () => {
    expect([ofEvent("invoice_created"), ofEvent("changed")]).toEqual([[], []]);
  });
});

describe("a change", () => {
  test("that suspends names the unpaid invoice, and is the same however often it is made", () => {
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

  test("that suspends names the workspace's own unpaid invoice, or whose another one is", () => {
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

  test("that suspends for a dispute names none", () => {
    const changes = [change(active, suspended(active, disputedReason, 1))];
    const [notice] = paymentNotices({ ...nothing, newDebts: ["du_1"], changes });
    expect(notice).toEqual({ kind: "payment", tenant_id: "t1", what: "suspended", about: "du_1" });
  });

  test("that resumes is told of that suspension; a change of the payment method is not told", () => {
    const before = suspended(active, unpaidReason, Date.parse("2026-11-21T05:00:00Z"));
    expect(paymentNotices({ ...nothing, changes: [change(before, resumed(before))] })).toMatchObject([
      { what: "resumed", about: "2026-11-21T05:00:00.000Z" },
    ]);
    const changes = [change(active, { ...active, has_payment_method: true })];
    expect(paymentNotices({ ...nothing, changes })).toEqual([]);
  });
});
