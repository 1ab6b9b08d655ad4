// AWS runs this as the function `reconcile`, with the table and the functions that it asks.
import { randomUUID } from "node:crypto";
import { customerStore } from "../../adapters/dynamodb/billing/customers.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { invitationEnd } from "../../adapters/dynamodb/people/invitations.ts";
import { userStore } from "../../adapters/dynamodb/people/users.ts";
import { reconcileProgress } from "../../adapters/dynamodb/provisioning/reconcile-progress.ts";
import { uncheckedTenants } from "../../adapters/dynamodb/provisioning/unchecked-tenants.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { accessRows, tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { askedAccounts } from "../../adapters/functions/accounts.ts";
import { invocation } from "../../adapters/functions/invocation.ts";
import { askedPayments } from "../../adapters/functions/payments.ts";
import { askedTenantKeys } from "../../adapters/functions/tenant-keys.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { freeGrants } from "../../domain/provisioning/free-grants.ts";
import { readEnv } from "../contract.ts";
import { reconcile } from "./contract.ts";
import { reconcileHandler } from "./handler.ts";

/** The time that an asked function has: nearly all of this function's 30 s, since no person waits for a job. */
const patienceMs = 25_000;

const env = readEnv(reconcile);
const rows = rowsOf(documentClient(), env.TABLE_NAME);
const clock = Date.now;
const invoke = invocation(patienceMs);
const payments = env.PAYMENTS_ARN === undefined ? undefined : askedPayments(env.PAYMENTS_ARN, invoke);

const log = powertoolsLog("reconcile");

export const handler = reconcileHandler({
  tenants: tenantStore(rows),
  users: userStore(rows),
  unchecked: uncheckedTenants(rows),
  effects: accessRows(rows, { clock, freeGrants: freeGrants(env.FREE_GRANTS_A_DAY, log) }),
  outside: [askedTenantKeys(env.TENANT_KEYS_ARN, invoke), ...(payments ? [payments] : [])],
  endBilling: payments?.end,
  customers: customerStore(rows),
  refreshPayments: payments?.refresh,
  accounts: askedAccounts(env.ACCOUNTS_ARN, invoke),
  invitations: invitationEnd(rows),
  jobs: jobQueue(env.JOBS_QUEUE_URL),
  progress: reconcileProgress(rows),
  log,
  clock,
  newId: randomUUID,
});
