// The mail that a payment failed and is tried again.
import { type BillingRecipient, why, workspaceLine } from "./billing-recipient.ts";
import { amountOf, type MailedInvoice, nameOf, pageOf } from "./mailed-invoice.ts";
import { type Platform, timeOf, type Words } from "./words.ts";
import type { Workspace } from "./workspace-name.ts";

type Failed = BillingRecipient & { workspace: Workspace; invoice: MailedInvoice };

export function paymentFailed({ workspace, invoice, ...recipient }: Failed, platform: Platform): Words {
  const { dueCents, currency, nextAttemptAt } = invoice;
  const again = nextAttemptAt === undefined ? "" : ` It is tried again on ${timeOf(nextAttemptAt)}.`;
  return {
    subject: `A payment failed (${workspace.slug})`,
    parts: [
      workspaceLine(workspace, platform),
      `The ${nameOf(invoice)} could not be charged: ${amountOf(dueCents, currency)} are due.${again} After the last attempt all workspaces of the owner are suspended: their calls are refused.`,
      ...pageOf(invoice, "Pay it"),
      { label: "Another payment method, with which it is paid at once", link: `${platform.consoleUrl}/billing` },
      why(recipient),
    ],
  };
}
