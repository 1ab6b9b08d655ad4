// The proxy's dependencies on AWS.

import { randomBytes } from "node:crypto";
import catalogData from "#catalog";
import { compareApiKey } from "../../adapters/bcrypt.ts";
import { bedrock } from "../../adapters/bedrock/model-host.ts";
import { cognitoTokens } from "../../adapters/cognito.ts";
import { apiKeyStore } from "../../adapters/dynamodb/api-keys.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { grantStore } from "../../adapters/dynamodb/grants.ts";
import { hotPathClient } from "../../adapters/dynamodb/hot-path-client.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger.ts";
import { spendingStore } from "../../adapters/dynamodb/spending.ts";
import { tenantStore } from "../../adapters/dynamodb/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { modelHostCredentials } from "../../adapters/sts.ts";
import { telemetry } from "../../adapters/telemetry.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import type { Env, Runtime } from "../contract.ts";
import { assembleProxy } from "./assembly.ts";
import type { proxy } from "./contract.ts";
import type { ProxyDependencies } from "./dependencies.ts";

export function proxyDependencies(env: Env<typeof proxy>, runtime: Runtime): ProxyDependencies {
  const { region, credentials, endpoints } = runtime;
  const client = hotPathClient(documentClient(), { region, credentials, endpoint: endpoints.dynamodb });
  const clock = Date.now;
  const log = powertoolsLog("proxy");
  return assembleProxy(env, {
    tokens: cognitoTokens({ userPoolId: env.USER_POOL_ID, clientIds: env.PROXY_CLIENT_IDS, clock }),
    tenants: tenantStore(client, env.TABLE_NAME),
    grants: grantStore(client, env.TABLE_NAME),
    keys: apiKeyStore(client, env.TABLE_NAME),
    compareApiKey,
    spending: spendingStore(client, env.TABLE_NAME),
    ledger: ledgerStore(client, env.TABLE_NAME),
    modelHost: bedrock({
      credentials: modelHostCredentials(env.MODEL_HOST_ROLE_ARN, clock),
      endpoint: endpoints.bedrockRuntime,
    }),
    catalog: parseCatalog(catalogData),
    telemetry: telemetry("proxy"),
    log,
    clock,
    random: randomBytes,
  });
}
