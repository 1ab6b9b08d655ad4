// The dependencies of provisioning on AWS.
import { randomUUID } from "node:crypto";
import { activeCallerStore } from "../../adapters/dynamodb/active-callers.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { customerStore } from "../../adapters/dynamodb/customers.ts";
import { endingStore } from "../../adapters/dynamodb/endings.ts";
import { invitationEnd } from "../../adapters/dynamodb/invitations.ts";
import { meteringProgressStore } from "../../adapters/dynamodb/metering-progress.ts";
import { slotStore } from "../../adapters/dynamodb/slots.ts";
import { sweepProgress } from "../../adapters/dynamodb/sweep-progress.ts";
import { tenantSetups } from "../../adapters/dynamodb/tenant-setups.ts";
import { accessRows, tenantStore } from "../../adapters/dynamodb/tenants.ts";
import { usageOutbox } from "../../adapters/dynamodb/usage-outbox.ts";
import { userStore } from "../../adapters/dynamodb/users.ts";
import { tenantKeys } from "../../adapters/kms.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { paymentSecret } from "../../adapters/secrets.ts";
import { setupJobQueue } from "../../adapters/setup-job-queue.ts";
import { paymentsByKey } from "../../adapters/stripe/payments-by-key.ts";
import { billingTelemetry } from "../../adapters/telemetry.ts";
import { cognitoAccounts } from "../../adapters/user-pool/accounts.ts";
import { endBilling } from "../../domain/billing/ending.ts";
import { openReports } from "../../domain/billing/open-reports.ts";
import { ownerPayments } from "../../domain/billing/owner-payments.ts";
import { paymentEffects } from "../../domain/billing/subscribing.ts";
import { overpaid } from "../../domain/billing/taking-back.ts";
import { keyEffect } from "../../domain/tenancy/tenant-key.ts";
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
      : paymentsByKey(paymentSecret(env.STRIPE_SECRET_ARN, clock), { timeoutMilliseconds: providerTimeoutMs });
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
    openReports: (tenantId: string, endedAt: number) => openReports(usage, tenantId, endedAt),
    lost: (tenant_id: string, reports: number) => telemetry.unbilled("ended", { tenant_id, reports }),
    overpaid: async (tenantId: string) => overpaid(await usage.reports.kept(tenantId), env.BILLING_MARKUP ?? 1),
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
    jobs: setupJobQueue(env.JOBS_QUEUE_URL),
    invitations: invitationEnd(client, env.TABLE_NAME),
    progress: sweepProgress(client, env.TABLE_NAME),
    platformAdmins: env.PLATFORM_ADMINS,
    log,
    clock,
    newId: randomUUID,
  };
}
