// The dependencies of provisioning on AWS.
import { randomUUID } from "node:crypto";
import { customerStore } from "../../adapters/dynamodb/billing/customers.ts";
import { activeCallerStore } from "../../adapters/dynamodb/budget/active-callers.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { meteringProgressStore } from "../../adapters/dynamodb/ledger/metering-progress.ts";
import { endingStore } from "../../adapters/dynamodb/provisioning/endings.ts";
import { slotStore } from "../../adapters/dynamodb/provisioning/slots.ts";
import { sweepProgress } from "../../adapters/dynamodb/provisioning/sweep-progress.ts";
import { tenantSetups } from "../../adapters/dynamodb/provisioning/tenant-setups.ts";
import { usageOutbox } from "../../adapters/dynamodb/reporting/usage-outbox.ts";
import { invitationEnd } from "../../adapters/dynamodb/workspace/invitations.ts";
import { accessRows, tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { userStore } from "../../adapters/dynamodb/workspace/users.ts";
import { tenantKeys } from "../../adapters/kms.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { paymentSecret } from "../../adapters/secrets.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { paymentsByKey } from "../../adapters/stripe/payments-by-key.ts";
import { billingTelemetry } from "../../adapters/telemetry.ts";
import { cognitoAccounts } from "../../adapters/user-pool/accounts.ts";
import { ownerPayments } from "../../domain/billing/owner-payments.ts";
import { endBilling } from "../../domain/provisioning/ending.ts";
import { paymentEffects } from "../../domain/provisioning/subscribing.ts";
import { keyEffect } from "../../domain/provisioning/tenant-key.ts";
import { overpaid } from "../../domain/reporting/reversal.ts";
import { unbilledUsage } from "../../domain/reporting/unbilled-usage.ts";
import type { Env } from "../contract.ts";
import type { provision } from "./contract.ts";
import type { ProvisionDependencies } from "./dependencies.ts";

/** Who invokes us waits for 8 s (adapters/provision.ts), and is to hear which part did not answer. */
const providerTimeoutMs = 6_000;

export function provisionDependencies(env: Env<typeof provision>): ProvisionDependencies {
  const client = documentClient();
  const clock = Date.now;
  const accounts = cognitoAccounts(env.USER_POOL_ID);
  const keys = tenantKeys({ stack: env.STACK_NAME, policy: env.KEY_POLICY });
  const setups = tenantSetups(client, env.TABLE_NAME);
  const tenants = tenantStore(client, env.TABLE_NAME);
  const users = userStore(client, env.TABLE_NAME);
  const log = powertoolsLog("provision");
  const telemetry = billingTelemetry("provision", env.STACK_NAME);
  const payments =
    env.STRIPE_SECRET_ARN === undefined
      ? undefined
      : paymentsByKey(paymentSecret(env.STRIPE_SECRET_ARN, clock), { timeoutMs: providerTimeoutMs });
  const usage = {
    progress: meteringProgressStore(client, env.TABLE_NAME),
    firstCalls: activeCallerStore(client, env.TABLE_NAME),
    reports: usageOutbox(client, env.TABLE_NAME),
    clock,
  };
  const billing = payments && {
    payments,
    customers: customerStore(client, env.TABLE_NAME),
    slots: slotStore(client, env.TABLE_NAME),
    endings: endingStore(client, env.TABLE_NAME),
    unbilledUsage: (tenantId: string, endedAt: number) => unbilledUsage(usage, tenantId, endedAt),
    lost: (tenant_id: string, reports: number) => telemetry.unbilled("ended", { tenant_id, reports }),
    overpaid: async (tenantId: string) => overpaid(await usage.reports.openBalance(tenantId), env.BILLING_MARKUP ?? 1),
    owed: (tenant_id: string, quantity: number) => telemetry.unbilled("overpaid", { tenant_id, quantity }),
    newId: randomUUID,
    automaticTax: env.BILLING_TAX === "automatic",
    ...{ tenants, users, setups, log, clock },
  };
  return {
    ownerPayments: billing && ownerPayments(billing),
    accounts,
    people: accounts,
    tenants,
    users,
    keys,
    setups,
    effects: {
      kms_key: keyEffect({ keys, setups, clock }),
      ...(billing && paymentEffects(billing)),
      ...accessRows(client, env.TABLE_NAME, { clock }),
    },
    billing,
    endBilling: billing && ((tenant) => endBilling(billing, tenant)),
    jobs: jobQueue(env.JOBS_QUEUE_URL),
    invitations: invitationEnd(client, env.TABLE_NAME),
    progress: sweepProgress(client, env.TABLE_NAME),
    platformAdmins: env.PLATFORM_ADMINS,
    log,
    clock,
    newId: randomUUID,
  };
}
