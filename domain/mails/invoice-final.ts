// The mail that an invoice is final.
import { type BillingRecipient, why, workspaceLine } from "./billing-recipient.ts";
import { amountOf, type MailedInvoice, nameOf, pageOf } from "./mailed-invoice.ts";
import type { Platform, Words } from "./words.ts";
import type { Workspace } from "./workspace-name.ts";

type Final = BillingRecipient & { workspace: Workspace; invoice: MailedInvoice };

export function invoiceFinal({ workspace, invoice, ...recipient }: Final, platform: Platform): Words {
  const { totalCents, currency } = invoice;
  return {
    // The slug has letters, digits and hyphens only, so that it is safe in a mail's subject.
    subject: `An invoice of ${amountOf(totalCents, currency)} (${workspace.slug})`,
    parts: [
      workspaceLine(workspace, platform),
      `The ${nameOf(invoice)} is final: ${amountOf(totalCents, currency)}, tax included. It is charged to the workspace's payment method within the next hours; you need to do nothing.`,
      ...pageOf(invoice, "The invoice, as a page and as PDF"),
      { label: "How it comes about, and all invoices", link: `${platform.consoleUrl}/billing` },
      why(recipient),
    ],
  };
}
