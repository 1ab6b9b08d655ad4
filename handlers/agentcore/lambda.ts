// AWS runs this as the function `agentcore`, with the table, AgentCore, the user pool's app clients and the tenants' secrets.
import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { credentialProviders } from "../../adapters/agentcore/credential-providers.ts";
import { agentCoreGateways } from "../../adapters/agentcore/gateways.ts";
import { agentCoreUse } from "../../adapters/agentcore/quota-use.ts";
import { agentRuntimes } from "../../adapters/agentcore/runtimes.ts";
import { agentCoreTargets } from "../../adapters/agentcore/targets.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { mcpServerStore } from "../../adapters/dynamodb/integrations/mcp-servers.ts";
import { connectorRegistrations, gatewayLeases, gatewayStore } from "../../adapters/dynamodb/mcp/gateways.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { specReader, specStore } from "../../adapters/s3/specs.ts";
import { tenantSecrets } from "../../adapters/secrets/tenant-secrets.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { quotaTelemetry } from "../../adapters/telemetry.ts";
import { appClientCount, connectorClientForm, connectorClients } from "../../adapters/user-pool/connector-clients.ts";
import { removeServers } from "../../domain/integrations/server-job.ts";
import type { AgentCoreJob } from "../../domain/mcp/job.ts";
import { readEnv } from "../contract.ts";
import { agentcore } from "./contract.ts";
import { agentCoreHandler } from "./handler.ts";

const env = readEnv(agentcore);
const rows = rowsOf(documentClient(), env.TABLE_NAME);

/** Cognito takes 24 to 64 of letters, digits, `_` and `+` (API_AddUserPoolClientSecret.html); these are 48 hexadecimal ones. */
const secretBytes = 24;

const servers = {
  mcpServers: mcpServerStore(rows),
  store: gatewayStore(rows),
  leases: gatewayLeases(rows),
  targets: agentCoreTargets(),
  providers: credentialProviders(env.STACK_NAME),
  runtimes: agentRuntimes({ stack: env.STACK_NAME, roleArn: env.RUNTIME_ROLE_ARN, ...env.RUNTIME_PROGRAMS }),
  secrets: tenantSecrets(env.STACK_NAME),
  specs: { ...specStore(env.SPECS_BUCKET), ...specReader(env.SPECS_BUCKET) },
  jobs: jobQueue<AgentCoreJob>(env.JOBS_QUEUE_URL),
  clock: Date.now,
  pause: async (milliseconds: number) => void (await pause(milliseconds)),
  settings: { stack: env.STACK_NAME, relayKey: env.RELAY_KEY },
  log: powertoolsLog("agentcore"),
};

const clientOptions = {
  userPoolId: env.USER_POOL_ID,
  scopePrefix: env.SCOPE_PREFIX,
  callbackUrl: env.CONNECTOR_CALLBACK_URL,
  identityProviders: env.IDENTITY_PROVIDERS,
};

const agentCoreCounts = agentCoreUse();
const appClients = appClientCount(env.USER_POOL_ID);

export const handler = agentCoreHandler({
  ...servers,
  tenants: tenantStore(rows),
  registrations: connectorRegistrations(rows),
  gateways: agentCoreGateways({
    stack: env.STACK_NAME,
    roleArn: env.GATEWAY_ROLE_ARN,
    interceptorArn: env.INTERCEPTOR_ARN,
    discoveryUrl: `https://${env.USER_POOL_ENDPOINT}/.well-known/openid-configuration`,
    clientForm: connectorClientForm(clientOptions),
  }),
  clients: connectorClients(clientOptions),
  servers: { removeAll: (tenantId) => removeServers(servers, tenantId) },
  quotas: env.ACCOUNT_QUOTAS,
  inUse: async () => ({ ...(await agentCoreCounts()), app_clients: await appClients() }),
  reportUse: quotaTelemetry("agentcore", env.STACK_NAME),
  newId: randomUUID,
  newSecret: () => randomBytes(secretBytes).toString("hex"),
});
