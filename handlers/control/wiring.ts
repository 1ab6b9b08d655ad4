// The control plane's dependencies on AWS.

import { randomBytes, randomUUID } from "node:crypto";
import catalogData from "#catalog";
import { hashApiKey } from "../../adapters/bcrypt.ts";
import { cognitoTokens } from "../../adapters/cognito.ts";
import { apiKeyStore } from "../../adapters/dynamodb/api-keys.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { grantStore } from "../../adapters/dynamodb/grants.ts";
import { idempotencyStore } from "../../adapters/dynamodb/idempotency-records.ts";
import { tenantRows, tenantStore } from "../../adapters/dynamodb/tenants.ts";
import { userStore } from "../../adapters/dynamodb/users.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { parseCatalog, withAliases } from "../../domain/catalog/catalog.ts";
import type { Env } from "../contract.ts";
import type { control } from "./contract.ts";
import type { ControlDependencies } from "./dependencies.ts";

export function controlDependencies(env: Env<typeof control>): ControlDependencies {
  const client = documentClient();
  const clock = Date.now;
  return {
    tokens: cognitoTokens({ userPoolId: env.USER_POOL_ID, clientIds: env.CONTROL_CLIENT_IDS, clock }),
    tenants: tenantStore(client, env.TABLE_NAME),
    tenantEffects: (clientId) => tenantRows(client, env.TABLE_NAME, { clientId, clock }),
    users: userStore(client, env.TABLE_NAME),
    grants: grantStore(client, env.TABLE_NAME),
    apiKeys: apiKeyStore(client, env.TABLE_NAME),
    hashApiKey,
    idempotency: idempotencyStore(client, env.TABLE_NAME),
    catalog: withAliases(parseCatalog(catalogData), env.MODEL_ALIASES),
    clock,
    newId: randomUUID,
    random: randomBytes,
    log: powertoolsLog("control"),
    settings: {
      scopePrefix: env.SCOPE_PREFIX,
      proxyDomain: env.PROXY_DOMAIN,
      vendorSegment: env.VENDOR_SEGMENT,
      defaultRegion: env.DEFAULT_REGION,
      approval: env.APPROVAL,
      consoleOrigins: env.CONSOLE_ORIGINS,
      maxServiceAccounts: env.MAX_SERVICE_ACCOUNTS,
    },
  };
}
