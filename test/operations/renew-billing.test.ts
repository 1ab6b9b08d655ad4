// `npm run billing:renew` as an operator runs it, on a local DynamoDB.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { tenantRecord } from "../../adapters/dynamodb/workspace/tenant.record.ts";
import { serveAws } from "../../emulators/test/support/aws-server.ts";
import { openStores, tableName } from "../support/dynamodb/stores.ts";
import { aTenantOf } from "../support/people/tenants.ts";
import { compiledOnce } from "../support/runner/run-folder.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
let server: Awaited<ReturnType<typeof serveAws>>;
beforeAll(async () => {
  opened = await openStores();
  server = await serveAws(opened.db.service);
});
afterAll(async () => {
  await server.close();
  await opened.close();
});

async function run(...args: string[]) {
  const child = spawn(process.execPath, ["operations/renew-billing.ts", ...args], {
    env: {
      ...compiledOnce,
      PATH: process.env.PATH,
      AWS_ENDPOINT_URL: server.url,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, output, errors };
}

test("npm run billing:renew creates a workspace's missing subscription once, and says what it cannot do", async () => {
  await opened.stores.tenantEffects("console").tenant_row(aTenantOf("ann", "t1"));
  const command = new UpdateCommand({
    TableName: tableName,
    Key: tenantRecord.key({ tenant_id: "t1" }),
    UpdateExpression: "SET stripe_subscription_id = :id, stripe_customer_id = :customer",
    ExpressionAttributeValues: { ":id": "sub_1", ":customer": "cus_1" },
  });
  await opened.document.send(command);
  const renewed = await run(tableName, "t1");
  expect([renewed.errors, renewed.code]).toEqual(["", 0]);
  expect(renewed.output).toContain("next reconciliation");
  const tenant = await opened.stores.tenants.get("t1");
  expect(tenant).not.toHaveProperty("stripe_subscription_id");
  expect(tenant?.setup_state.pending).toEqual(expect.arrayContaining(["stripe_customer", "stripe_subscription"]));
  const { items } = await opened.stores.audit.list("t1", {}, { limit: 5, after: undefined }, Date.now());
  expect(items[0]).toMatchObject({ action: "subscription.renew", before: { stripe_subscription_id: "sub_1" } });
  expect((await run(tableName, "t1")).errors).toContain("is being made");
  expect((await run(tableName)).errors).toContain("Usage: npm run -s billing:renew");
});
