// AWS runs this as the function `webhook`, with the table and the payment provider.
import { randomUUID } from "node:crypto";
import { customerStore } from "../../adapters/dynamodb/billing/customers.ts";
import { recognitionStore } from "../../adapters/dynamodb/billing/recognition.ts";
import { reconciliationStore } from "../../adapters/dynamodb/billing/reconciliations.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import {
  announcedPaymentNotices,
  paymentNoticeRecords,
} from "../../adapters/dynamodb/notices/payment-notice-records.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { type PaymentSecret, paymentSecret } from "../../adapters/secrets/payment-secret.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { stripeEventSource } from "../../adapters/stripe/payment-event-source.ts";
import { stripeObjectReader } from "../../adapters/stripe/payment-object-reader.ts";
import { stripePayments } from "../../adapters/stripe/payment-provider.ts";
import { billingTelemetry, deliveryTelemetry } from "../../adapters/telemetry.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { Recognition } from "../../domain/trust/recognition.ts";
import { readEnv } from "../contract.ts";
import { webhook } from "./contract.ts";
import { type OpenedAccount, webhookHandler } from "./handler.ts";

const env = readEnv(webhook);
const rows = rowsOf(documentClient(), env.TABLE_NAME);
const clock = Date.now;
const recognition = new Recognition({ key: env.RECOGNITION_KEY, store: recognitionStore(rows, clock) });
const log = powertoolsLog("webhook");
const telemetry = billingTelemetry("webhook", env.STACK_NAME);
const notices =
  env.NOTICES_QUEUE_URL === undefined
    ? undefined
    : announcedPaymentNotices({
        records: paymentNoticeRecords(rows),
        queue: jobQueue(env.NOTICES_QUEUE_URL),
        clock,
      });

export const handler = webhookHandler({
  account: opened(paymentSecret(env.STRIPE_SECRET_ARN, clock)),
  customers: customerStore(rows),
  tenants: tenantStore(rows),
  reconciliations: reconciliationStore(rows),
  automaticTax: env.BILLING_TAX === "automatic",
  markup: env.BILLING_MARKUP,
  terms: { trialCap: env.TRIAL_CAP, firstWeek: env.FIRST_WEEK_CAP, firstMonth: env.FIRST_MONTH_CAP },
  recognition,
  telemetry,
  refusedDelivery: deliveryTelemetry("webhook", env.STACK_NAME),
  notices,
  log,
  clock,
  newId: randomUUID,
});

/** The account's clients are kept as long as the secrets are the same. */
function opened(secret: () => Promise<PaymentSecret>): () => Promise<OpenedAccount> {
  let kept: { of: PaymentSecret; account: OpenedAccount } | undefined;
  return async () => {
    const of = await secret();
    if (kept?.of === of) return kept.account;
    const { secretKey, webhookSecret: signingSecret } = of;
    if (signingSecret === undefined) throw new Refusal("payments_unavailable", "The webhook is not set up yet.");
    const payments = stripePayments({ secretKey });
    const events = stripeEventSource({ secretKey, signingSecret });
    kept = { of, account: { payments, events, objects: stripeObjectReader({ secretKey }) } };
    return kept.account;
  };
}
