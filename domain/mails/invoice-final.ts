// The mail that an invoice is final.
import { type BillingRecipient, why, workspaceLine } from "./billing-recipient.ts";
import { amountOf, type MailedInvoice, nameOf, pageOf } from "./mailed-invoice.ts";
import type { Platform, Words } from "./words.ts";
import type { Workspace } from "./workspace-name.ts";

type Final = BillingRecipient & { workspace: Workspace; invoice: MailedInvoice };

/** An invoice outside of a month's end is this one, or the last one of a deleted workspace. */
const early =
  "It does not wait for the end of the month: the workspace is deleted, or its owner has half of what may be unpaid to pay. That limit grows with each paid invoice, so that calls go on.";

export function invoiceFinal({ workspace, invoice, ...recipient }: Final, platform: Platform): Words {
  const { totalCents, currency, madeEarlyAt } = invoice;
  return {
    // The slug has letters, digits and hyphens only, so that it is safe in a mail's subject.
    subject: `An invoice of ${amountOf(totalCents, currency)} (${workspace.slug})`,
    parts: [
      workspaceLine(workspace, platform),
      `The ${nameOf(invoice)} is final: ${amountOf(totalCents, currency)}, tax included. It is charged to the workspace's payment method within the next hours; you need to do nothing.`,
      ...(madeEarlyAt === undefined ? [] : [early]),
      ...pageOf(invoice, "See the invoice"),
      { label: "How it comes about, and all invoices", link: `${platform.consoleUrl}/billing` },
      why(recipient),
    ],
  };
}
