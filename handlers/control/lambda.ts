// AWS runs this as the control plane, with all that the control plane works with.

import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import catalogData from "#catalog";
import { hashApiKey } from "../../adapters/bcrypt.ts";
import { toolCallSearcher } from "../../adapters/cloudwatch-logs/tool-calls.ts";
import { cognitoTokens } from "../../adapters/cognito/tokens.ts";
import { grantStore } from "../../adapters/dynamodb/access/grants.ts";
import { memberStore } from "../../adapters/dynamodb/access/members.ts";
import { signOutStore } from "../../adapters/dynamodb/access/sign-outs.ts";
import { activeCallerStore } from "../../adapters/dynamodb/budget/active-callers.ts";
import { ownerAllowances } from "../../adapters/dynamodb/budget/allowances.ts";
import { creditReader } from "../../adapters/dynamodb/budget/credits.ts";
import { idleSliceStore } from "../../adapters/dynamodb/budget/idle-slices.ts";
import { spendingReader } from "../../adapters/dynamodb/budget/spending-reader.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
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
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { runStore } from "../../adapters/dynamodb/runs/runs.ts";
import { secretStore } from "../../adapters/dynamodb/secrets/secrets.ts";
import { skillApprovalStore } from "../../adapters/dynamodb/skills/approvals.ts";
import { environmentStore } from "../../adapters/dynamodb/skills/environments.ts";
import { skillStore } from "../../adapters/dynamodb/skills/skills.ts";
import { auditTrail } from "../../adapters/dynamodb/workspace/audit.ts";
import { tenantChanges } from "../../adapters/dynamodb/workspace/tenant-changes.ts";
import { tenantDirectory } from "../../adapters/dynamodb/workspace/tenant-directory.ts";
import { tenantRows, tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { askedAccounts } from "../../adapters/functions/accounts.ts";
import { askedAgentCore } from "../../adapters/functions/agentcore.ts";
import { invocation } from "../../adapters/functions/invocation.ts";
import { askedPayments } from "../../adapters/functions/payments.ts";
import { askedProbe, probePatienceMs } from "../../adapters/functions/probe.ts";
import { askedTenantKeys } from "../../adapters/functions/tenant-keys.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { mailer } from "../../adapters/mail.ts";
import { runObjects } from "../../adapters/s3/run-objects.ts";
import { skillContents } from "../../adapters/s3/skill-contents.ts";
import { specUploads } from "../../adapters/s3/specs.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { parseCatalog, withAliases } from "../../domain/catalog/catalog.ts";
import { freeGrants } from "../../domain/provisioning/free-grants.ts";
import { outsideEffects } from "../../domain/provisioning/tenant-creation.ts";
import { platformOf, readEnv } from "../contract.ts";
import { control } from "./contract.ts";
import { controlHandler } from "./handler.ts";

const env = readEnv(control);
const rows = rowsOf(documentClient(), env.TABLE_NAME);
const clock = Date.now;
const log = powertoolsLog("control");
const tenants = tenantStore(rows);
const invoke = invocation();
const payments = env.PAYMENTS_ARN === undefined ? undefined : askedPayments(env.PAYMENTS_ARN, invoke);
const tenantKeys = askedTenantKeys(env.TENANT_KEYS_ARN, invoke);
const outside = [tenantKeys, ...(payments ? [payments] : [])];
const agentCore = askedAgentCore(env.AGENTCORE_ARN, invoke);
const setupJobs = jobQueue(env.SETUP_QUEUE_URL);

const grants = freeGrants(env.FREE_GRANTS_A_DAY, log);

export const handler = controlHandler({
  tokens: cognitoTokens({ userPoolId: env.USER_POOL_ID, clientIds: env.CONTROL_CLIENT_IDS, clock }),
  signOuts: signOutStore(rows),
  tenants,
  tenantEffects: (clientId) => ({
    ...tenantRows(rows, { clientId, clock, maxOwned: env.MAX_WORKSPACES, freeGrants: grants }),
    ...outsideEffects({ outside, tenants, jobs: setupJobs, log }),
  }),
  tenantChanges: tenantChanges(rows),
  tenantDirectory: tenantDirectory(rows),
  approvals: approvalStore(rows),
  audit: auditTrail(rows),
  setupJobs,
  purgeJobs: jobQueue(env.PURGE_QUEUE_URL),
  users: userStore(rows),
  accounts: askedAccounts(env.ACCOUNTS_ARN, invoke),
  members: memberStore(rows),
  serviceAccounts: serviceAccountStore(rows),
  invitations: invitationStore(rows),
  grants: grantStore(rows),
  apiKeys: apiKeyStore(rows),
  lastUses: lastUseStore(rows),
  rollups: rollupStore(rows),
  ledger: ledgerStore(rows),
  questionAllowances: questionAllowances(rows, clock),
  spending: spendingReader(rows),
  progress: meteringProgressStore(rows),
  allowances: ownerAllowances(rows),
  idleSlices: idleSliceStore(rows),
  billing: billingReader(rows, creditReader(rows)),
  payments,
  mailer: mailer(env),
  mcpGateways: gatewayStore(rows),
  ownerGateways: agentCore,
  mcpServers: mcpServerStore(rows),
  probe: askedProbe(env.PROBE_ARN, invocation(probePatienceMs)),
  serverWork: agentCore,
  specUploads: specUploads(env.SPECS_BUCKET),
  toolCalls: toolCallSearcher({ logGroup: env.TOOL_LOG_GROUP, clock, pause: (milliseconds) => pause(milliseconds) }),
  skills: skillStore(rows),
  skillEnvironments: environmentStore(rows),
  skillApprovals: skillApprovalStore(rows),
  skillSecrets: secretStore(rows),
  secretSealer: tenantKeys,
  skillContents: skillContents(env.SKILLS_BUCKET),
  runs: runStore(rows),
  runObjects: runObjects(env.SKILLS_BUCKET),
  runJobs: jobQueue(env.RUN_QUEUE_URL),
  firstCalls: activeCallerStore(rows),
  hashApiKey,
  idempotency: idempotencyStore(rows),
  catalog: withAliases(parseCatalog(catalogData), env.MODEL_ALIASES),
  clock,
  newId: randomUUID,
  random: randomBytes,
  log,
  settings: {
    scopePrefix: env.SCOPE_PREFIX,
    proxyDomain: env.PROXY_DOMAIN,
    mcpUrl: env.MCP_URL,
    vendorSegment: env.VENDOR_SEGMENT,
    defaultRegion: env.DEFAULT_REGION,
    approval: env.APPROVAL,
    consoleOrigins: env.CONSOLE_ORIGINS,
    platform: platformOf(env),
    discovery: env.DISCOVERY,
    defaultMaxInFlight: env.DEFAULT_MAX_IN_FLIGHT,
    maxServiceAccounts: env.MAX_SERVICE_ACCOUNTS,
    maxInvitationMails: env.MAX_INVITATION_MAILS,
    markup: env.BILLING_MARKUP,
    trialCap: env.TRIAL_CAP,
  },
});
