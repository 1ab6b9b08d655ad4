// The mail that a workspace is suspended for a debt.
import { type BillingRecipient, why, workspaceLine } from "./billing-recipient.ts";
import { amountOf, type MailedInvoice, nameOf, pageOf } from "./mailed-invoice.ts";
import type { Platform, Words } from "./words.ts";
import type { Workspace } from "./workspace-name.ts";

/** @param invoice the unpaid one; undefined where a payment is disputed */
type Suspended = BillingRecipient & { workspace: Workspace; invoice: MailedInvoice | undefined };

export function suspendedForDebt({ workspace, invoice, ...recipient }: Suspended, platform: Platform): Words {
  const cause = invoice
    ? `the ${nameOf(invoice)} is unpaid, and it is not tried any more: ${amountOf(invoice.dueCents, invoice.currency)} are due.`
    : "a payment was taken back by the bank, since the holder of the card disputes it.";
  const end = invoice
    ? "Once it is paid, the workspace goes on by itself, within some minutes."
    : "If the dispute is a mistake, the holder of the card withdraws it at the bank. The workspace goes on once the bank has decided for the payment.";
  return {
    subject: `The workspace is suspended (${workspace.slug})`,
    parts: [
      workspaceLine(workspace, platform),
      `The workspace is suspended: ${cause} Its calls are refused (403). Nothing of it is deleted.`,
      ...(invoice ? pageOf(invoice, "Pay it") : []),
      {
        label: invoice ? "Another payment method, with which it is paid at once" : "Its invoices",
        link: `${platform.consoleUrl}/billing`,
      },
      end,
      why(recipient),
    ],
  };
}
