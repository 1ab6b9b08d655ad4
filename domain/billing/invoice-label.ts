// What a workspace's invoices name: the workspace as it is called now, and the purchase order number that its owner gave.
import type { Tenant } from "../workspace/tenant.ts";
import type { InvoiceLabel } from "./payment-provider.ts";

/** A field of an invoice at the payment provider holds no more characters. */
const maxLength = 140;

export function invoiceLabel({
  name,
  slug,
  purchase_order,
}: Pick<Tenant, "name" | "slug" | "purchase_order">): InvoiceLabel {
  const address = ` (${slug})`;
  return { workspace: `${name.slice(0, maxLength - address.length)}${address}`, purchaseOrder: purchase_order };
}

export function isSameLabel(one: InvoiceLabel | undefined, other: InvoiceLabel): boolean {
  return one?.workspace === other.workspace && one.purchaseOrder === other.purchaseOrder;
}
