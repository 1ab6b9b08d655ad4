// What invoices name of a workspace, as Stripe has it: custom fields, which the subscription gives to each of its invoices.
import type { InvoiceLabel } from "../../domain/billing/payment-provider.ts";

type CustomField = { name: string; value: string };

/** What the invoice's page and PDF show beside the fields' values. */
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
