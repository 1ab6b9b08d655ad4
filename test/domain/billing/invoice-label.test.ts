import { expect, test } from "@jest/globals";
import { invoiceLabel, isSameLabel } from "../../../domain/billing/invoice-label.ts";

const acme = { name: "Acme", slug: "acme" };

test("an invoice has its workspace's name and address, and the purchase order number", () => {
  expect(invoiceLabel(acme)).toEqual({ workspace: "Acme (acme)", purchaseOrder: undefined });
  expect(invoiceLabel({ ...acme, purchase_order: "PO-1" }).purchaseOrder).toBe("PO-1");
});

test("a workspace's long name is shortened on an invoice, so that the address is complete", () => {
  const { workspace } = invoiceLabel({ name: "A".repeat(200), slug: "a".repeat(63) });
  expect(workspace).toHaveLength(140);
  expect(workspace).toMatch(/^A+ \(a{63}\)$/);
});

test("two invoice labels are equal if both parts are equal", () => {
  const label = invoiceLabel(acme);
  expect(isSameLabel(invoiceLabel(acme), label)).toBe(true);
  for (const other of [undefined, { ...label, purchaseOrder: "PO-1" }, { ...label, workspace: "B (b)" }]) {
    expect(isSameLabel(other, label)).toBe(false);
  }
});
