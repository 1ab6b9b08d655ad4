import { expect, test } from "@jest/globals";
import { invoiceLabel, isSameLabel } from "../../../domain/billing/invoice-label.ts";

const acme = { name: "Acme", slug: "acme" };

test("an invoice names its workspace with its address, and the purchase order number", () => {
  expect(invoiceLabel(acme)).toEqual({ workspace: "Acme (acme)", purchaseOrder: undefined });
  expect(invoiceLabel({ ...acme, purchase_order: "PO-1" }).purchaseOrder).toBe("PO-1");
});

test("a long name is cut so that the address stays whole", () => {
  const { workspace } = invoiceLabel({ name: "A".repeat(200), slug: "a".repeat(63) });
  expect(workspace).toHaveLength(140);
  expect(workspace).toMatch(/^A+ \(a{63}\)$/);
});

test("two labels are the same if both parts are", () => {
  const label = invoiceLabel(acme);
  expect(isSameLabel(invoiceLabel(acme), label)).toBe(true);
  for (const other of [undefined, { ...label, purchaseOrder: "PO-1" }, { ...label, workspace: "B (b)" }]) {
    expect(isSameLabel(other, label)).toBe(false);
  }
});
