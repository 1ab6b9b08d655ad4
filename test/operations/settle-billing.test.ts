// `npm run billing:settle` as an operator runs it, on a local DynamoDB and the local Stripe.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { manifestRecord } from "../../adapters/dynamodb/provisioning/manifest.record.ts";
import { totalRecord } from "../../adapters/dynamodb/reporting/total.record.ts";
import { tenantRecord } from "../../adapters/dynamodb/workspace/tenant.record.ts";
import { stripePayments } from "../../adapters/stripe/payment-provider.ts";
import { serveAws } from "../../emulators/test/support/aws-server.ts";
import { type RunningStripe, startStripe } from "../../emulators/test/support/local-stripe.ts";
import { aLabel } from "../support/billing/invoices.ts";
import { openStores, tableName } from "../support/dynamodb/stores.ts";
import { aTenantOf } from "../support/people/tenants.ts";
import { compiledOnce } from "../support/runner/run-folder.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let server: Awaited<ReturnType<typeof serveAws>>;
let local: RunningStripe;
const folder = mkdtempSync(join(tmpdir(), "archway-settle-"));
const stack = join(folder, "Pulumi.prod.yaml");
beforeAll(async () => {
  opened = await openStores();
  server = await serveAws(opened.db.service);
  local = await startStripe();
  writeFileSync(stack, "config:\n  archway:stripe: { secretArn: arn, markup: 2 }\n");
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await local.close();
  await server.close();
  await opened.close();
});

async function run(...args: string[]) {
  const child = spawn(process.execPath, ["operations/settle-billing.ts", "--address", local.url, ...args], {
    env: {
      ...compiledOnce,
      PATH: process.env.PATH,
      AWS_ENDPOINT_URL: server.url,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
      STRIPE_SECRET_KEY: "rk_test_local",
    },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, output, errors };
}

test("npm run billing:settle shows a deleted workspace's overpayment, and refunds it once it is confirmed", async () => {
  const payments = stripePayments({ secretKey: "sk_test_local", address: local.url });
  const { id: customerId } = await payments.customer({ sub: "ann", email: "ann@acme.example" });
  const { id: card } = await local.sdk.paymentMethods.attach("pm_card_visa", { customer: customerId });
  await payments.makeDefault(customerId, card);
  await payments.addUsage({ customerId, tenantId: "t1", label: aLabel, draft: undefined, quantity: 5_000_000 });
  await payments.collect((await payments.invoices(customerId))[0]?.id ?? "");
  await opened.stores.tenantEffects("console").tenant_row(aTenantOf("ann", "t1"));
  await opened.document.send(
    new UpdateCommand({
      TableName: tableName,
      Key: tenantRecord.key({ tenant_id: "t1" }),
      UpdateExpression: "SET stripe_customer_id = :customer",
      ExpressionAttributeValues: { ":customer": customerId },
    }),
  );
  const put = (Item: object) => opened.document.send(new PutCommand({ TableName: tableName, Item }));
  // 1.2 USD at list price.
  await put({ ...totalRecord.key({ tenant_id: "t1" }), "m#2027-01": 1_200_000_000 });
  expect((await run("--stack", stack, tableName, "t1")).errors).toContain("has not ended");
  await put({
    ...manifestRecord.key({ tenant_id: "t1", resource: "stripe_subscription" }),
    ...{ kind: "stripe_subscription", state: "done" },
    ended_at: "2027-01-10T12:00:00.000Z",
  });
  const dry = await run("--stack", stack, tableName, "t1");
  expect([dry.errors, dry.code]).toEqual(["", 0]);
  expect(dry.output).toContain("used 2.400000 USD, billed 5.000000 USD");
  expect(dry.output).toContain("2.60 USD with tax, 2.60 of it refunded");
  expect(dry.output).toContain("Nothing is changed");
  expect((await run("--stack", stack, tableName, "t1", "--confirm")).output).toContain("Done.");
  expect((await run("--stack", stack, tableName, "t1", "--confirm")).output).toContain("nothing to settle");
  expect(await payments.charges(customerId)).toMatchObject([{ paidCents: 500, refundedCents: 260 }]);
  expect((await run(tableName)).errors).toContain("Usage: STRIPE_SECRET_KEY");
});
