// The purge's dependencies on AWS.
import { randomUUID } from "node:crypto";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { tenantRemains } from "../../adapters/dynamodb/provisioning/tenant-remains.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { askedAccounts } from "../../adapters/functions/accounts.ts";
import { invocation } from "../../adapters/functions/invocation.ts";
import { askedPayments } from "../../adapters/functions/payments.ts";
import { askedTenantKeys } from "../../adapters/functions/tenant-keys.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import type { Env } from "../contract.ts";
import type { purge } from "./contract.ts";
import type { PurgeHandlerDependencies } from "./handler.ts";

export function purgeDependencies(env: Env<typeof purge>): PurgeHandlerDependencies {
  const client = documentClient();
  const invoke = invocation();
  const payments = env.PAYMENTS_ARN === undefined ? [] : [askedPayments(env.PAYMENTS_ARN, invoke)];
  return {
    tenants: tenantStore(client, env.TABLE_NAME),
    remains: tenantRemains(client, env.TABLE_NAME),
    // The payments come first: while they wait for usage to be billed, everything else stays.
    outside: [...payments, askedTenantKeys(env.TENANT_KEYS_ARN, invoke)],
    accounts: askedAccounts(env.ACCOUNTS_ARN, invoke),
    jobs: jobQueue(env.JOBS_QUEUE_URL),
    log: powertoolsLog("purge"),
    clock: Date.now,
    newId: randomUUID,
  };
}
