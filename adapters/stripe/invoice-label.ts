// The label of a workspace's invoices in Stripe's form: custom fields of its subscription, which Stripe copies to each invoice.
import type { InvoiceLabel } from "../../domain/billing/payment-provider.ts";

type CustomField = { name: string; value: string };

/** Names of the custom fields, as the invoice's page and PDF show them beside the values. */
const names = { workspace: "Workspace", purchaseOrder: "Purchase order" } as const;

export function customFields({ workspace, purchaseOrder }: InvoiceLabel): CustomField[] {
  const order = purchaseOrder === undefined ? [] : [{ name: names.purchaseOrder, value: purchaseOrder }];
  return [{ name: names.workspace, value: workspace }, ...order];
}

/** The parameters of a subscription that name its workspace, in the dashboard and the portal too. */
export function labelled(label: InvoiceLabel) {
  return {
    description: `${names.workspace} ${label.workspace}`,
    invoice_settings: { custom_fields: customFields(label) },
  };
}

/** Undefined if no workspace is named. */
export function labelFrom(fields: readonly CustomField[] | null | undefined): InvoiceLabel | undefined {
  const textOf = (name: string) => fields?.find((field) => field.name === name)?.value;
  const workspace = textOf(names.workspace);
  return workspace === undefined ? undefined : { workspace, purchaseOrder: textOf(names.purchaseOrder) };
}
