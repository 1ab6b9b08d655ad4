// The stores of the control plane, over the table. A noun that is stored has its line here: lambda.ts and tests work with them, and
// dependencies.ts has their types.

import { grantStore } from "../../adapters/dynamodb/access/grants.ts";
import { memberStore } from "../../adapters/dynamodb/access/members.ts";
import { signOutStore } from "../../adapters/dynamodb/access/sign-outs.ts";
import { activeCallerStore } from "../../adapters/dynamodb/budget/active-callers.ts";
import { ownerAllowances } from "../../adapters/dynamodb/budget/allowances.ts";
import { creditReader } from "../../adapters/dynamodb/budget/credits.ts";
import { idleSliceStore } from "../../adapters/dynamodb/budget/idle-slices.ts";
import { spendingReader } from "../../adapters/dynamodb/budget/spending-reader.ts";
import { ownRedirectStore } from "../../adapters/dynamodb/connectors/own-redirects.ts";
import { mcpServerStore } from "../../adapters/dynamodb/integrations/mcp-servers.ts";
import { idempotencyStore } from "../../adapters/dynamodb/kernel/idempotency-records.ts";
import { questionAllowances } from "../../adapters/dynamodb/kernel/question-allowances.ts";
import { apiKeyStore } from "../../adapters/dynamodb/keys/api-keys.ts";
import { lastUseStore } from "../../adapters/dynamodb/keys/last-uses.ts";
import { serviceAccountStore } from "../../adapters/dynamodb/keys/service-accounts.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger/ledger.ts";
import { meteringProgressStore } from "../../adapters/dynamodb/ledger/metering-progress.ts";
import { rollupStore } from "../../adapters/dynamodb/ledger/rollups.ts";
import { gatewayStore } from "../../adapters/dynamodb/mcp/gateways.ts";
import { approvalStore } from "../../adapters/dynamodb/people/approvals.ts";
import { invitationStore } from "../../adapters/dynamodb/people/invitations.ts";
import { userStore } from "../../adapters/dynamodb/people/users.ts";
import { billingReader } from "../../adapters/dynamodb/reporting/billing-reader.ts";
import type { Rows } from "../../adapters/dynamodb/rows.ts";
import { runStore } from "../../adapters/dynamodb/runs/runs.ts";
import { secretStore } from "../../adapters/dynamodb/secrets/secrets.ts";
import { skillApprovalStore } from "../../adapters/dynamodb/skills/approvals.ts";
import { environmentStore } from "../../adapters/dynamodb/skills/environments.ts";
import { skillStore } from "../../adapters/dynamodb/skills/skills.ts";
import { auditTrail } from "../../adapters/dynamodb/workspace/audit.ts";
import { tenantChanges } from "../../adapters/dynamodb/workspace/tenant-changes.ts";
import { tenantDirectory } from "../../adapters/dynamodb/workspace/tenant-directory.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";

/** @param clock milliseconds since the epoch */
export function controlStores(rows: Rows, clock: () => number) {
  return {
    tenants: tenantStore(rows),
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
    rollups: rollupStore(rows),
    ledger: ledgerStore(rows),
    questionAllowances: questionAllowances(rows, clock),
    spending: spendingReader(rows),
    progress: meteringProgressStore(rows),
    firstCalls: activeCallerStore(rows),
    allowances: ownerAllowances(rows),
    idleSlices: idleSliceStore(rows),
    billing: billingReader(rows, creditReader(rows)),
    mcpGateways: gatewayStore(rows),
    ownRedirects: ownRedirectStore(rows),
    mcpServers: mcpServerStore(rows),
    skills: skillStore(rows),
    skillEnvironments: environmentStore(rows),
    skillApprovals: skillApprovalStore(rows),
    skillSecrets: secretStore(rows),
    runs: runStore(rows),
    idempotency: idempotencyStore(rows),
  };
}

export type ControlStores = ReturnType<typeof controlStores>;
