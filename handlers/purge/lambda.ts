// AWS runs this as the function `purge`, with the table and the functions that it asks.
import { randomUUID } from "node:crypto";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { userStore } from "../../adapters/dynamodb/people/users.ts";
import { tenantRemains } from "../../adapters/dynamodb/provisioning/tenant-remains.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { ownedTenants } from "../../adapters/dynamodb/workspace/owned-tenants.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { askedAccounts } from "../../adapters/functions/accounts.ts";
import { askedAgentCore } from "../../adapters/functions/agentcore.ts";
import { invocation } from "../../adapters/functions/invocation.ts";
import { askedPayments } from "../../adapters/functions/payments.ts";
import { askedTenantKeys } from "../../adapters/functions/tenant-keys.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { skillRemains } from "../../adapters/s3/skill-remains.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { readEnv } from "../contract.ts";
import { purge } from "./contract.ts";
import { purgeHandler } from "./handler.ts";

const env = readEnv(purge);
const rows = rowsOf(documentClient(), env.TABLE_NAME);
const invoke = invocation();
const payments = env.PAYMENTS_ARN === undefined ? [] : [askedPayments(env.PAYMENTS_ARN, invoke)];

export const handler = purgeHandler({
  tenants: tenantStore(rows),
  remains: tenantRemains(rows),
  ownedTenants: ownedTenants(rows),
  users: userStore(rows),
  // The payments come first: while they wait for usage to be billed, everything else stays. The keys come last: secrets lie under them.
  outside: [
    ...payments,
    askedAgentCore(env.AGENTCORE_ARN, invoke),
    skillRemains(env.SKILLS_BUCKET),
    askedTenantKeys(env.TENANT_KEYS_ARN, invoke),
  ],
  accounts: askedAccounts(env.ACCOUNTS_ARN, invoke),
  jobs: jobQueue(env.JOBS_QUEUE_URL),
  log: powertoolsLog("purge"),
  clock: Date.now,
  newId: randomUUID,
});
