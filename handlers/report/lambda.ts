// AWS runs this as the function `report`, with the table and the payment provider.
import { randomUUID } from "node:crypto";
import { ownerAllowances } from "../../adapters/dynamodb/budget/allowances.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { billingTotals } from "../../adapters/dynamodb/reporting/billing-totals.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { paymentSecret } from "../../adapters/secrets/payment-secret.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { paymentsByKey } from "../../adapters/stripe/payments-by-key.ts";
import { billingTelemetry, waitingTelemetry } from "../../adapters/telemetry.ts";
import { isDueEarly } from "../../domain/billing/early-invoice.ts";
import { payerOf } from "../../domain/billing/payer.ts";
import { readEnv } from "../contract.ts";
import { report } from "./contract.ts";
import { reportHandler } from "./handler.ts";

const env = readEnv(report);
const rows = rowsOf(documentClient(), env.TABLE_NAME);
const clock = Date.now;
const tenants = tenantStore(rows);

export const handler = reportHandler({
  totals: billingTotals(rows),
  payer: async (tenantId) => payerOf(await tenants.get(tenantId)),
  payments: paymentsByKey(paymentSecret(env.STRIPE_SECRET_ARN, clock)),
  telemetry: billingTelemetry("report", env.STACK_NAME),
  waited: waitingTelemetry("report", env.STACK_NAME),
  markup: env.BILLING_MARKUP,
  isDueEarly: (tenantId, open) =>
    isDueEarly({ allowances: ownerAllowances(rows), trialCap: env.TRIAL_CAP }, tenantId, open),
  jobs: jobQueue(env.JOBS_QUEUE_URL),
  log: powertoolsLog("report"),
  clock,
  newId: randomUUID,
});
