// The mail that a bank wants its customer to confirm a payment (3-D Secure).
import { type BillingRecipient, why, workspaceLine } from "./billing-recipient.ts";
import { amountOf, type MailedInvoice, nameOf, pageOf } from "./mailed-invoice.ts";
import type { Platform, Words } from "./words.ts";
import type { Workspace } from "./workspace-name.ts";

type Required = BillingRecipient & { workspace: Workspace; invoice: MailedInvoice };

export function actionRequired({ workspace, invoice, ...recipient }: Required, platform: Platform): Words {
  const { dueCents, currency } = invoice;
  return {
    subject: `A payment waits for your confirmation (${workspace.slug})`,
    parts: [
      workspaceLine(workspace, platform),
      `The bank wants a person to confirm the payment of the ${nameOf(invoice)}: ${amountOf(dueCents, currency)}. Nobody else can do that, and it does not pass by being tried again.`,
      ...pageOf(invoice, "Confirm and pay"),
      "Without it all workspaces of the owner are suspended in some days: their calls are refused.",
      { label: "Another payment method, with which it is paid at once", link: `${platform.consoleUrl}/billing` },
      why(recipient),
    ],
  };
}
