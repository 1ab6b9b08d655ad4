// AWS runs this as the function `payments`, with the table and the payment provider.
import { randomUUID } from "node:crypto";
import { customerStore } from "../../adapters/dynamodb/billing/customers.ts";
import { recognitionStore } from "../../adapters/dynamodb/billing/recognition.ts";
import { reconciliationStore } from "../../adapters/dynamodb/billing/reconciliations.ts";
import { activeCallerStore } from "../../adapters/dynamodb/budget/active-callers.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { meteringProgressStore } from "../../adapters/dynamodb/ledger/metering-progress.ts";
import {
  announcedPaymentNotices,
  paymentNoticeRecords,
} from "../../adapters/dynamodb/notices/payment-notice-records.ts";
import { userStore } from "../../adapters/dynamodb/people/users.ts";
import { billingEndStore } from "../../adapters/dynamodb/provisioning/billing-ends.ts";
import { setupManifest } from "../../adapters/dynamodb/provisioning/setup-manifests.ts";
import { slotStore } from "../../adapters/dynamodb/provisioning/slots.ts";
import { billingTotals } from "../../adapters/dynamodb/reporting/billing-totals.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { ownedTenants } from "../../adapters/dynamodb/workspace/owned-tenants.ts";
import { tenantChanges } from "../../adapters/dynamodb/workspace/tenant-changes.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { paymentSecret } from "../../adapters/secrets/payment-secret.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { paymentsByKey } from "../../adapters/stripe/payments-by-key.ts";
import { billingTelemetry } from "../../adapters/telemetry.ts";
import { ownerPayments } from "../../domain/billing/owner-payments.ts";
import { reconcileOwner } from "../../domain/billing/reconciliation.ts";
import { isMetered } from "../../domain/ledger/metering-end.ts";
import { Recognition } from "../../domain/trust/recognition.ts";
import { readEnv } from "../contract.ts";
import { payments } from "./contract.ts";
import { paymentsHandler } from "./handler.ts";

/** A request waits 8 s for this function (adapters/functions/invocation.ts), and is to hear that the provider did not answer. */
const providerTimeoutMs = 6_000;

const env = readEnv(payments);
const rows = rowsOf(documentClient(), env.TABLE_NAME);
const clock = Date.now;
const provider = {
  payments: paymentsByKey(paymentSecret(env.STRIPE_SECRET_ARN, clock), { timeoutMs: providerTimeoutMs }),
  customers: customerStore(rows),
  tenants: tenantStore(rows),
  automaticTax: env.BILLING_TAX === "automatic",
};
const telemetry = billingTelemetry("payments", env.STACK_NAME);
const recognition = new Recognition({ key: env.RECOGNITION_KEY, store: recognitionStore(rows, clock) });
const log = powertoolsLog("payments");
const notices =
  env.NOTICES_QUEUE_URL === undefined
    ? undefined
    : announcedPaymentNotices({
        records: paymentNoticeRecords(rows),
        queue: jobQueue(env.NOTICES_QUEUE_URL),
        clock,
      });
const refresh = async (ownerSub: string) =>
  reconcileOwner(
    {
      ...{ ...provider, payments: await provider.payments() },
      ...{
        markup: env.BILLING_MARKUP,
        terms: { trialCap: env.TRIAL_CAP, firstWeek: env.FIRST_WEEK_CAP, firstMonth: env.FIRST_MONTH_CAP },
      },
      ...{ reconciliations: reconciliationStore(rows), recognition, telemetry, notices, log, clock, newId: randomUUID },
    },
    ownerSub,
  );
const metering = { progress: meteringProgressStore(rows), firstCalls: activeCallerStore(rows) };

export const handler = paymentsHandler({
  ...provider,
  recognition,
  ownerPayments: ownerPayments({ ...provider, refresh, log }),
  refresh,
  users: userStore(rows),
  tenantChanges: tenantChanges(rows),
  manifest: setupManifest(rows),
  slots: slotStore(rows),
  ownedTenants: ownedTenants(rows),
  ends: billingEndStore(rows),
  isMetered: (tenantId, endedAt) => isMetered(metering, tenantId, endedAt),
  totals: billingTotals(rows),
  telemetry,
  markup: env.BILLING_MARKUP,
  log,
  clock,
  newId: randomUUID,
});
