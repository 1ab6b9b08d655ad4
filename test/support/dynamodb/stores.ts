// The stores over an embedded DynamoDB, as functions get them.
import { hashApiKey } from "../../../adapters/bcrypt.ts";
import { grantStore } from "../../../adapters/dynamodb/access/grants.ts";
import { memberStore } from "../../../adapters/dynamodb/access/members.ts";
import { signOutStore } from "../../../adapters/dynamodb/access/sign-outs.ts";
import { activeCallerStore } from "../../../adapters/dynamodb/budget/active-callers.ts";
import { ownerAllowances } from "../../../adapters/dynamodb/budget/allowances.ts";
import { creditReader } from "../../../adapters/dynamodb/budget/credits.ts";
import { idleSliceStore } from "../../../adapters/dynamodb/budget/idle-slices.ts";
import { spendingReader } from "../../../adapters/dynamodb/budget/spending-reader.ts";
import { mcpServerStore } from "../../../adapters/dynamodb/integrations/mcp-servers.ts";
import { idempotencyStore } from "../../../adapters/dynamodb/kernel/idempotency-records.ts";
import { questionAllowances } from "../../../adapters/dynamodb/kernel/question-allowances.ts";
import { apiKeyStore } from "../../../adapters/dynamodb/keys/api-keys.ts";
import { lastUseStore } from "../../../adapters/dynamodb/keys/last-uses.ts";
import { serviceAccountStore } from "../../../adapters/dynamodb/keys/service-accounts.ts";
import { ledgerStore } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { meteringProgressStore } from "../../../adapters/dynamodb/ledger/metering-progress.ts";
import { rollupStore } from "../../../adapters/dynamodb/ledger/rollups.ts";
import { gatewayStore } from "../../../adapters/dynamodb/mcp/gateways.ts";
import { approvalStore } from "../../../adapters/dynamodb/people/approvals.ts";
import { invitationStore } from "../../../adapters/dynamodb/people/invitations.ts";
import { userStore } from "../../../adapters/dynamodb/people/users.ts";
import { billingReader } from "../../../adapters/dynamodb/reporting/billing-reader.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { runStore } from "../../../adapters/dynamodb/runs/runs.ts";
import { secretStore } from "../../../adapters/dynamodb/secrets/secrets.ts";
import { skillApprovalStore } from "../../../adapters/dynamodb/skills/approvals.ts";
import { environmentStore } from "../../../adapters/dynamodb/skills/environments.ts";
import { skillStore } from "../../../adapters/dynamodb/skills/skills.ts";
import { auditTrail } from "../../../adapters/dynamodb/workspace/audit.ts";
import { tenantChanges } from "../../../adapters/dynamodb/workspace/tenant-changes.ts";
import { tenantDirectory } from "../../../adapters/dynamodb/workspace/tenant-directory.ts";
import { tenantRows, tenantStore } from "../../../adapters/dynamodb/workspace/tenants.ts";
import { openLocalTable, twoIndexes } from "./dynamodb.ts";

export const tableName = "main";

/** @param maxOwned workspaces of an owner */
export async function openStores(maxOwned = 100) {
  const db = await openLocalTable({ inputs: twoIndexes });
  const { document } = db;
  const rows = rowsOf(document, tableName);
  const clock = () => db.clock.now();
  const accounting = {
    rollups: rollupStore(rows),
    ledger: ledgerStore(rows),
    questionAllowances: questionAllowances(rows, clock),
    spending: spendingReader(rows),
    progress: meteringProgressStore(rows),
    firstCalls: activeCallerStore(rows),
  };
  return {
    db,
    document,
    clock,
    stores: {
      tenants: tenantStore(rows),
      tenantEffects: (clientId: string) => tenantRows(rows, { clientId, clock, maxOwned }),
      tenantChanges: tenantChanges(rows),
      tenantDirectory: tenantDirectory(rows),
      approvals: approvalStore(rows),
      audit: auditTrail(rows),
      users: userStore(rows),
      members: memberStore(rows),
      serviceAccounts: serviceAccountStore(rows),
      signOuts: signOutStore(rows),
      invitations: invitationStore(rows),
      grants: grantStore(rows),
      apiKeys: apiKeyStore(rows),
      lastUses: lastUseStore(rows),
      ...accounting,
      allowances: ownerAllowances(rows),
      idleSlices: idleSliceStore(rows),
      billing: billingReader(rows, creditReader(rows)),
      hashApiKey,
      idempotency: idempotencyStore(rows),
      mcpGateways: gatewayStore(rows),
      mcpServers: mcpServerStore(rows),
      skills: skillStore(rows),
      runs: runStore(rows),
      skillEnvironments: environmentStore(rows),
      skillApprovals: skillApprovalStore(rows),
      skillSecrets: secretStore(rows),
    },
    close: () => db.close(),
  };
}
