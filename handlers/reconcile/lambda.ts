// AWS runs this as the function `reconcile`, with the table and the functions that it asks.
import { randomUUID } from "node:crypto";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { reconcileProgress } from "../../adapters/dynamodb/provisioning/reconcile-progress.ts";
import { uncheckedTenants } from "../../adapters/dynamodb/provisioning/unchecked-tenants.ts";
import { invitationEnd } from "../../adapters/dynamodb/workspace/invitations.ts";
import { accessRows, tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { userStore } from "../../adapters/dynamodb/workspace/users.ts";
import { askedAccounts } from "../../adapters/functions/accounts.ts";
import { invocation } from "../../adapters/functions/invocation.ts";
import { askedPayments } from "../../adapters/functions/payments.ts";
import { askedTenantKeys } from "../../adapters/functions/tenant-keys.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { jobQueue } from "../../adapters/sqs.ts";

import { readEnv } from "../contract.ts";
import { reconcile } from "./contract.ts";
import { reconcileHandler } from "./handler.ts";

/** Nobody waits for a job: the asked function has nearly all of this function's 30 s. */
const patienceMs = 25_000;

const env = readEnv(reconcile);
const client = documentClient();
const clock = Date.now;
const invoke = invocation(patienceMs);
const payments = env.PAYMENTS_ARN === undefined ? undefined : askedPayments(env.PAYMENTS_ARN, invoke);

export const handler = reconcileHandler({
  tenants: tenantStore(client, env.TABLE_NAME),
  users: userStore(client, env.TABLE_NAME),
  unchecked: uncheckedTenants(client, env.TABLE_NAME),
  effects: accessRows(client, env.TABLE_NAME, { clock }),
  outside: [askedTenantKeys(env.TENANT_KEYS_ARN, invoke), ...(payments ? [payments] : [])],
  endBilling: payments?.end,
  accounts: askedAccounts(env.ACCOUNTS_ARN, invoke),
  invitations: invitationEnd(client, env.TABLE_NAME),
  jobs: jobQueue(env.JOBS_QUEUE_URL),
  progress: reconcileProgress(client, env.TABLE_NAME),
  log: powertoolsLog("reconcile"),
  clock,
  newId: randomUUID,
});
