// The mail that a workspace that was suspended for a debt goes on.
import { type BillingRecipient, why, workspaceLine } from "./billing-recipient.ts";
import type { Platform, Words } from "./words.ts";
import type { Workspace } from "./workspace-name.ts";

type Resumed = BillingRecipient & { workspace: Workspace };

export function resumedAfterDebt({ workspace, ...recipient }: Resumed, platform: Platform): Words {
  return {
    subject: `The workspace goes on (${workspace.slug})`,
    parts: [
      workspaceLine(workspace, platform),
      "Nothing is owed any more: the workspace goes on. Its calls are served again within a minute, with the keys and budgets of before.",
      { label: "Invoices and payment methods", link: `${platform.consoleUrl}/billing` },
      why(recipient),
    ],
  };
}
