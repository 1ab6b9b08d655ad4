// AWS runs this as the proxy, with the table, the user pool and the model host.
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import catalogData from "#catalog";
import { compareApiKey } from "../../adapters/bcrypt.ts";
import { bedrock } from "../../adapters/bedrock/model-host.ts";
import { cognitoTokens } from "../../adapters/cognito/tokens.ts";
import { grantStore } from "../../adapters/dynamodb/access/grants.ts";
import { signOutStore } from "../../adapters/dynamodb/access/sign-outs.ts";
import { crowds } from "../../adapters/dynamodb/budget/crowds.ts";
import { idleSliceStore } from "../../adapters/dynamodb/budget/idle-slices.ts";
import { ledgerTransactions } from "../../adapters/dynamodb/budget/ledger-transactions.ts";
import { spendingStore } from "../../adapters/dynamodb/budget/spending.ts";
import { waitingRoom } from "../../adapters/dynamodb/budget/waiting-room.ts";
import { takenModelStore } from "../../adapters/dynamodb/catalog/survey-store.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { hotPathClient, storeService } from "../../adapters/dynamodb/hot-path-client.ts";
import { apiKeyStore } from "../../adapters/dynamodb/keys/api-keys.ts";
import { lastUseStore } from "../../adapters/dynamodb/keys/last-uses.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger/ledger.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { modelHostCredentials } from "../../adapters/sts.ts";
import { telemetry } from "../../adapters/telemetry.ts";
import { modelOfProfile, parseCatalog, withAliases } from "../../domain/catalog/catalog.ts";
import { LiveCatalog } from "../../domain/catalog/live-catalog.ts";
import { readEnv, readRuntime } from "../contract.ts";
import { proxy, statusSeconds } from "./contract.ts";
import { proxyHandler } from "./handler.ts";
import { timer } from "./idle-timeout.ts";

const env = readEnv(proxy);
const { region, credentials, endpoints } = readRuntime();
const dynamodb = storeService({ region, credentials, endpoint: endpoints.dynamodb });
const client = hotPathClient(documentClient(), dynamodb);
const sendsOnce = hotPathClient(documentClient({ maxAttempts: 1 }), dynamodb, "once");
const tableName = env.TABLE_NAME;
const rows = rowsOf(client, tableName);
const clock = Date.now;
const native = new Set(env.MESSAGES_ENDPOINT);

const catalog = new LiveCatalog({
  catalog: withAliases(parseCatalog(catalogData), env.MODEL_ALIASES),
  read: env.NEW_MODELS ? takenModelStore(rows).read : undefined,
  log: powertoolsLog("proxy"),
  clock,
});

export const handler = proxyHandler({
  tokens: cognitoTokens({ userPoolId: env.USER_POOL_ID, clientIds: env.PROXY_CLIENT_IDS, clock }),
  signOuts: signOutStore(rows),
  tenants: tenantStore(rows),
  grants: grantStore(rows),
  apiKeys: apiKeyStore(rows),
  lastUses: lastUseStore(rows),
  compareApiKey,
  spending: spendingStore({ client, sendsOnce, tableName, clock }),
  idleSlices: idleSliceStore(rows),
  ledger: ledgerStore(rows),
  transactions: ledgerTransactions(rows),
  unsettled: jobQueue(env.UNSETTLED_QUEUE_URL),
  waitingRoom: waitingRoom({ client, tableName, places: env.MAX_WAITING, clock }),
  crowd: crowds(rowsOf(sendsOnce, tableName)),
  modelHost: bedrock({
    credentials: modelHostCredentials(env.MODEL_HOST_ROLE_ARN, clock),
    endpoint: endpoints.bedrockRuntime,
    isNative: (profile) => native.has("*") || native.has(modelOfProfile(catalog, profile)),
  }),
  catalog,
  telemetry: telemetry("proxy", env.STACK_NAME),
  log: powertoolsLog("proxy"),
  clock,
  random: randomBytes,
  schedule: timer,
  pause,
  settings: {
    originSecretHashes: env.ORIGIN_SECRET_HASHES,
    vendorSegments: env.VENDOR_SEGMENTS,
    headerNames: { session: env.SESSION_HEADERS, region: env.REGION_HEADERS },
    proxyDomain: env.PROXY_DOMAIN,
    consoleUrl: env.CONSOLE_URL,
    scopePrefix: env.SCOPE_PREFIX,
    defaultLimits: {
      maxInFlight: env.DEFAULT_MAX_IN_FLIGHT,
      rate: { burst: env.DEFAULT_BURST, perMinute: env.DEFAULT_PER_MINUTE },
    },
    enforceFreeCredit: env.ENFORCE_FREE_CREDIT,
    maxCrowd: env.MAX_CROWD,
    trialCap: env.TRIAL_CAP,
    budgetStatus: env.BUDGET_STATUS,
    assistantStatus: env.ASSISTANT_STATUS,
    idleMs: env.IDLE_TIMEOUT_SECONDS * 1000,
    logsInvocations: env.LOGS_INVOCATIONS,
    pingMs: env.PING_SECONDS === undefined ? undefined : env.PING_SECONDS * 1000,
    statusMs: statusSeconds * 1000,
    silenceMs: env.HOST_SILENCE_SECONDS * 1000,
  },
});
