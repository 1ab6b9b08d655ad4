// AWS runs this as the control plane, with all that the control plane works with.

import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import catalogData from "#catalog";
import { hashApiKey } from "../../adapters/bcrypt.ts";
import { toolCallSearcher } from "../../adapters/cloudwatch-logs/tool-calls.ts";
import { cognitoTokens } from "../../adapters/cognito/tokens.ts";
import { takenModelStore } from "../../adapters/dynamodb/catalog/survey-store.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { tenantRows } from "../../adapters/dynamodb/workspace/tenants.ts";
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
import { LiveCatalog } from "../../domain/catalog/live-catalog.ts";
import { freeGrants } from "../../domain/provisioning/free-grants.ts";
import { outsideEffects } from "../../domain/provisioning/tenant-creation.ts";
import { platformOf, readEnv } from "../contract.ts";
import { control } from "./contract.ts";
import { controlHandler } from "./handler.ts";
import { controlStores } from "./stores.ts";

const env = readEnv(control);
const rows = rowsOf(documentClient(), env.TABLE_NAME);
const clock = Date.now;
const log = powertoolsLog("control");
const stores = controlStores(rows, clock);
const { tenants } = stores;
const invoke = invocation();
const payments = env.PAYMENTS_ARN === undefined ? undefined : askedPayments(env.PAYMENTS_ARN, invoke);
const tenantKeys = askedTenantKeys(env.TENANT_KEYS_ARN, invoke);
const outside = [tenantKeys, ...(payments ? [payments] : [])];
const agentCore = askedAgentCore(env.AGENTCORE_ARN, invoke);
const setupJobs = jobQueue(env.SETUP_QUEUE_URL);

const grants = freeGrants(env.FREE_GRANTS_A_DAY, log);

const catalog = new LiveCatalog({
  catalog: withAliases(parseCatalog(catalogData), env.MODEL_ALIASES),
  read: env.NEW_MODELS ? takenModelStore(rows).read : undefined,
  log,
  clock,
});

export const handler = catalog.before(
  controlHandler({
    ...stores,
    tokens: cognitoTokens({ userPoolId: env.USER_POOL_ID, clientIds: env.CONTROL_CLIENT_IDS, clock }),
    tenantEffects: (clientId) => ({
      ...tenantRows(rows, { clientId, clock, maxOwned: env.MAX_WORKSPACES, freeGrants: grants }),
      ...outsideEffects({ outside, tenants, jobs: setupJobs, log }),
    }),
    setupJobs,
    purgeJobs: jobQueue(env.PURGE_QUEUE_URL),
    accounts: askedAccounts(env.ACCOUNTS_ARN, invoke),
    payments,
    mailer: mailer(env),
    ownerGateways: agentCore,
    probe: askedProbe(env.PROBE_ARN, invocation(probePatienceMs)),
    serverWork: agentCore,
    specUploads: specUploads(env.SPECS_BUCKET),
    toolCalls: toolCallSearcher({ logGroup: env.TOOL_LOG_GROUP, clock, pause: (milliseconds) => pause(milliseconds) }),
    secretSealer: tenantKeys,
    skillContents: skillContents(env.SKILLS_BUCKET),
    runObjects: runObjects(env.SKILLS_BUCKET),
    runJobs: jobQueue(env.RUN_QUEUE_URL),
    hashApiKey,
    catalog,
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
  }),
);
