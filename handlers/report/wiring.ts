// The dependencies on AWS and at the payment provider of reporting usage.
import { randomUUID } from "node:crypto";
import { activeCallerStore } from "../../adapters/dynamodb/active-callers.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { meteringProgressStore } from "../../adapters/dynamodb/metering-progress.ts";
import { reportStore } from "../../adapters/dynamodb/reports.ts";
import { tenantStore } from "../../adapters/dynamodb/tenants.ts";
import { usageOutbox } from "../../adapters/dynamodb/usage-outbox.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { reportingJobQueue } from "../../adapters/reporting-job-queue.ts";
import { paymentSecret } from "../../adapters/secrets.ts";
import { stripePayments } from "../../adapters/stripe/payment-provider.ts";
import { billingTelemetry } from "../../adapters/telemetry.ts";
import { idleHours } from "../../domain/billing/idle-hour.ts";
import { payerOf } from "../../domain/billing/payer.ts";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import type { Env } from "../contract.ts";
import type { report } from "./contract.ts";
import type { ReportDependencies } from "./dependencies.ts";

export function reportDependencies(env: Env<typeof report>): ReportDependencies {
  const client = documentClient();
  const tableName = env.TABLE_NAME;
  const clock = Date.now;
  const tenants = tenantStore(client, tableName);
  return {
    outbox: usageOutbox(client, tableName),
    payer: async (tenantId) => payerOf(await tenants.get(tenantId)),
    payments: paymentsOf(env.STRIPE_SECRET_ARN, clock),
    idleHours: idleHours({
      progress: meteringProgressStore(client, tableName),
      reports: reportStore(client, tableName),
      firstCalls: activeCallerStore(client, tableName),
    }),
    telemetry: billingTelemetry("report", env.STACK_NAME),
    markup: env.BILLING_MARKUP,
    jobs: reportingJobQueue(env.JOBS_QUEUE_URL),
    log: powertoolsLog("report"),
    clock,
    newId: randomUUID,
  };
}

/** Its client, which knows the meters, is kept as long as the account's key is the same. */
function paymentsOf(secretArn: string, clock: () => number): () => Promise<PaymentProvider> {
  const secret = paymentSecret(secretArn, clock);
  let kept: { secretKey: string; payments: PaymentProvider } | undefined;
  return async () => {
    const { secretKey } = await secret();
    if (kept?.secretKey !== secretKey) kept = { secretKey, payments: stripePayments({ secretKey }) };
    return kept.payments;
  };
}
