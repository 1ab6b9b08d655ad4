// AWS runs this as the control plane, with all that the control plane works with.
import { randomBytes, randomUUID } from "node:crypto";
import catalogData from "#catalog";
import { hashApiKey } from "../../adapters/bcrypt.ts";
import { cognitoTokens } from "../../adapters/cognito.ts";
import { apiKeyStore } from "../../adapters/dynamodb/access/api-keys.ts";
import { grantStore } from "../../adapters/dynamodb/access/grants.ts";
import { lastUseStore } from "../../adapters/dynamodb/access/last-uses.ts";
import { memberStore } from "../../adapters/dynamodb/access/members.ts";
import { activeCallerStore } from "../../adapters/dynamodb/budget/active-callers.ts";
import { spendingReader } from "../../adapters/dynamodb/budget/spending-reader.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { idempotencyStore } from "../../adapters/dynamodb/kernel/idempotency-records.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger/ledger.ts";
import { meteringProgressStore } from "../../adapters/dynamodb/ledger/metering-progress.ts";
import { rollupStore } from "../../adapters/dynamodb/ledger/rollups.ts";
import { billingReader } from "../../adapters/dynamodb/reporting/billing-reader.ts";
import { approvalStore } from "../../adapters/dynamodb/workspace/approvals.ts";
import { auditTrail } from "../../adapters/dynamodb/workspace/audit.ts";
import { invitationStore } from "../../adapters/dynamodb/workspace/invitations.ts";
import { tenantChanges } from "../../adapters/dynamodb/workspace/tenant-changes.ts";
import { tenantDirectory } from "../../adapters/dynamodb/workspace/tenant-directory.ts";
import { tenantRows, tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { userStore } from "../../adapters/dynamodb/workspace/users.ts";
import { askedAccounts } from "../../adapters/functions/accounts.ts";
import { invocation } from "../../adapters/functions/invocation.ts";
import { askedPayments } from "../../adapters/functions/payments.ts";
import { askedTenantKeys } from "../../adapters/functions/tenant-keys.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { mailer } from "../../adapters/mail.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { parseCatalog, withAliases } from "../../domain/catalog/catalog.ts";
import { outsideEffects } from "../../domain/provisioning/tenant-creation.ts";
import { readEnv } from "../contract.ts";
import { control } from "./contract.ts";
import { controlHandler } from "./handler.ts";

const env = readEnv(control);
const client = documentClient();
const clock = Date.now;
const log = powertoolsLog("control");
const tenants = tenantStore(client, env.TABLE_NAME);
const invoke = invocation();
const payments = env.PAYMENTS_ARN === undefined ? undefined : askedPayments(env.PAYMENTS_ARN, invoke);
const outside = [askedTenantKeys(env.TENANT_KEYS_ARN, invoke), ...(payments ? [payments] : [])];
const setupJobs = jobQueue(env.SETUP_QUEUE_URL);

export const handler = controlHandler({
  tokens: cognitoTokens({ userPoolId: env.USER_POOL_ID, clientIds: env.CONTROL_CLIENT_IDS, clock }),
  tenants,
  tenantEffects: (clientId) => ({
    ...tenantRows(client, env.TABLE_NAME, { clientId, clock, maxOwned: env.MAX_WORKSPACES }),
    ...outsideEffects({ outside, tenants, jobs: setupJobs, log }),
  }),
  tenantChanges: tenantChanges(client, env.TABLE_NAME),
  tenantDirectory: tenantDirectory(client, env.TABLE_NAME),
  approvals: approvalStore(client, env.TABLE_NAME),
  audit: auditTrail(client, env.TABLE_NAME),
  setupJobs,
  purgeJobs: jobQueue(env.PURGE_QUEUE_URL),
  users: userStore(client, env.TABLE_NAME),
  accounts: askedAccounts(env.ACCOUNTS_ARN, invoke),
  members: memberStore(client, env.TABLE_NAME),
  invitations: invitationStore(client, env.TABLE_NAME),
  grants: grantStore(client, env.TABLE_NAME),
  apiKeys: apiKeyStore(client, env.TABLE_NAME),
  lastUses: lastUseStore(client, env.TABLE_NAME),
  rollups: rollupStore(client, env.TABLE_NAME),
  ledger: ledgerStore(client, env.TABLE_NAME),
  spending: spendingReader(client, env.TABLE_NAME),
  progress: meteringProgressStore(client, env.TABLE_NAME),
  billing: billingReader(client, env.TABLE_NAME),
  payments,
  mailer: mailer(env),
  firstCalls: activeCallerStore(client, env.TABLE_NAME),
  hashApiKey,
  idempotency: idempotencyStore(client, env.TABLE_NAME),
  catalog: withAliases(parseCatalog(catalogData), env.MODEL_ALIASES),
  clock,
  newId: randomUUID,
  random: randomBytes,
  log,
  settings: {
    scopePrefix: env.SCOPE_PREFIX,
    proxyDomain: env.PROXY_DOMAIN,
    vendorSegment: env.VENDOR_SEGMENT,
    defaultRegion: env.DEFAULT_REGION,
    approval: env.APPROVAL,
    consoleOrigins: env.CONSOLE_ORIGINS,
    discovery: env.DISCOVERY,
    maxServiceAccounts: env.MAX_SERVICE_ACCOUNTS,
    maxInvitationMails: env.MAX_INVITATION_MAILS,
    markup: env.BILLING_MARKUP,
  },
});
