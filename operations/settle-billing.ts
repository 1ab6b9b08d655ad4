// Settles a workspace whose billing has ended: charges what its last invoices lack of its usage, and gives back what they have too much.
// Table and workspace are the arguments, the stack's file has the markup; the account's key comes as STRIPE_SECRET_KEY, credentials and
// region as AWS's tools take them. It only says what it would do, until it is told to `--confirm`.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { documentClient } from "../adapters/dynamodb/client.ts";
import { billingEndStore } from "../adapters/dynamodb/provisioning/billing-ends.ts";
import { billingTotals } from "../adapters/dynamodb/reporting/billing-totals.ts";
import { rowsOf } from "../adapters/dynamodb/rows.ts";
import { auditTrail } from "../adapters/dynamodb/workspace/audit.ts";
import { tenantStore } from "../adapters/dynamodb/workspace/tenants.ts";
import { stripePayments } from "../adapters/stripe/payment-provider.ts";
import { settle, settlementOf } from "../domain/provisioning/billing-settlement.ts";
import "./plain-errors.ts";

const usage =
  "Usage: STRIPE_SECRET_KEY=... npm run -s billing:settle -- --stack Pulumi.<stack>.yaml TABLE TENANT_ID [--confirm]";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { stack: { type: "string" }, confirm: { type: "boolean" }, address: { type: "string" } },
});
const [tableName, tenantId] = positionals;
const secretKey = process.env.STRIPE_SECRET_KEY;
if (!values.stack || !tableName || !tenantId || !secretKey) throw new Error(usage);
const { config } = parse(readFileSync(values.stack, "utf8")) as { config: Record<string, unknown> };
const billing = config["archway:stripe"] as { markup?: number } | undefined;
if (!billing) throw new Error(`${values.stack} has no archway:stripe`);

const rows = rowsOf(documentClient(), tableName);
const provider = stripePayments({ secretKey, address: values.address });
const deps = {
  payments: async () => provider,
  tenants: tenantStore(rows),
  ends: billingEndStore(rows),
  totals: billingTotals(rows),
  audit: auditTrail(rows),
  isMetered: async () => true,
  telemetry: { unbilled: () => {} },
  log: { info: () => {}, problem: (message: string) => console.error(message) },
  markup: billing.markup ?? 1,
  clock: Date.now,
  newId: randomUUID,
};

const { used, billed, charge, givesBack } = await (values.confirm ? settle : settlementOf)(deps, tenantId);
const usd = (micro: number) => (micro / 1e6).toFixed(6);
console.log(`used ${usd(used)} USD, billed ${usd(billed)} USD`);
if (charge > 0) console.log(`charge   ${usd(charge)} USD on an invoice of its own`);
for (const { invoice, quantity, cents, refundedCents } of givesBack) {
  const parts = `${(cents / 100).toFixed(2)} USD with tax, ${(refundedCents / 100).toFixed(2)} of it refunded`;
  console.log(`credit   ${usd(quantity)} USD of invoice ${invoice.number ?? invoice.id}: ${parts}`);
}
if (charge === 0 && givesBack.length === 0) console.log("There is nothing to settle.");
else console.log(values.confirm ? "Done." : "Nothing is changed: add --confirm to do it.");
