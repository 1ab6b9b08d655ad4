// Gives a workspace a new subscription after somebody ended the one that it had at Stripe by hand.
// Table and workspace are the arguments; credentials and region come as AWS's tools take them. The hourly reconciliation does the rest.
import { randomUUID } from "node:crypto";
import { renewalStore } from "../adapters/dynamodb/billing/renewals.ts";
import { documentClient } from "../adapters/dynamodb/client.ts";
import { rowsOf } from "../adapters/dynamodb/rows.ts";
import { tenantStore } from "../adapters/dynamodb/workspace/tenants.ts";
import { renewBilling } from "../domain/billing/renewal.ts";
import "./plain-errors.ts";

const [tableName, tenantId] = process.argv.slice(2);
if (!tableName || !tenantId) throw new Error("Usage: npm run -s billing:renew -- TABLE TENANT_ID");
const client = documentClient();
const problem = await renewBilling(
  {
    tenants: tenantStore(rowsOf(client, tableName)),
    renewals: renewalStore(rowsOf(client, tableName)),
    clock: Date.now,
    newId: randomUUID,
  },
  tenantId,
);
if (problem !== undefined) throw new Error(problem);
console.log(
  "With the next reconciliation, within an hour, the workspace has a new subscription if the one that it had has ended.",
);
