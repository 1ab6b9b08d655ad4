// The webhook as the payment provider calls it: over the local Stripe, whose deliveries wait until a test hands them on, and an
// embedded DynamoDB with an owner and workspaces.
import { randomUUID } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { customerStore } from "../../../adapters/dynamodb/billing/customers.ts";
import { recognitionStore } from "../../../adapters/dynamodb/billing/recognition.ts";
import { reconciliationStore } from "../../../adapters/dynamodb/billing/reconciliations.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { setUpAccount } from "../../../adapters/stripe/account-setup.ts";
import { stripeEventSource } from "../../../adapters/stripe/payment-event-source.ts";
import { stripeObjectReader } from "../../../adapters/stripe/payment-object-reader.ts";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { WebhookSecret } from "../../../domain/billing/webhook-secret.ts";
import { Recognition } from "../../../domain/trust/recognition.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { startStripe } from "../../../emulators/test/support/local-stripe.ts";
import type { ObservedEvent } from "../../../handlers/middleware/observe.ts";
import type { WebhookDependencies } from "../../../handlers/webhook/handler.ts";
import { webhookHandler } from "../../../handlers/webhook/handler.ts";
import type { LogLine } from "../control-plane.ts";
import { openStores, tableName } from "../dynamodb/stores.ts";
import { aLabel } from "./invoices.ts";
import { terms } from "./trust.ts";

export type Delivery = { body: string; signature: string };

export const cards = {
  good: "4242424242424242",
  other: "5555555555554444",
  declining: "4000000000000341",
  disputing: "4000000000000259",
};

export async function openPayments() {
  const local = await startStripe("2027-01-10T12:00:00Z");
  const opened = await openStores();
  const deliveries: Delivery[] = [];
  const receiver = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    deliveries.push({
      body: Buffer.concat(chunks).toString(),
      signature: String(request.headers["stripe-signature"]),
    });
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;

  const options = { secretKey: "sk_test_local", address: local.url };
  let kept: WebhookSecret | undefined;
  await setUpAccount(options, {
    slots: 5,
    webhookUrl: `http://127.0.0.1:${port}/v1/webhooks/stripe`,
    secrets: {
      get: async () => kept,
      put: async (secret) => {
        kept = secret;
      },
    },
  });
  const signingSecret = kept?.signingSecret ?? "";
  const payments = stripePayments(options);
  const events = stripeEventSource({ ...options, signingSecret });
  const account = { payments, events, objects: stripeObjectReader(options) };
  const customers = customerStore(rowsOf(opened.document, tableName));
  const lines: LogLine[] = [];
  const unbilled: object[] = [];
  const refused: number[] = [];
  const deps: WebhookDependencies = {
    account: async () => account,
    customers,
    tenants: opened.stores.tenants,
    reconciliations: reconciliationStore(rowsOf(opened.document, tableName)),
    automaticTax: false,
    markup: 1,
    terms,
    recognition: new Recognition({
      key: "k".repeat(32),
      store: recognitionStore(rowsOf(opened.document, tableName), () => local.clock.now()),
    }),
    refusedDelivery: () => void refused.push(local.clock.now()),
    telemetry: { unbilled: (reason, facts) => void unbilled.push({ reason, ...facts }) },
    log: {
      info: (message, facts) => lines.push({ message, facts }),
      problem: (message, facts, error) => lines.push({ message, facts, error }),
    },
    clock: () => local.clock.now(),
    newId: randomUUID,
  };

  /** As API Gateway hands it on. */
  async function receive({ body, signature }: Delivery, handler = webhookHandler(deps), isBase64Encoded = false) {
    const event = {
      version: "2.0",
      headers: { "stripe-signature": signature },
      requestContext: { http: { method: "POST", path: "/v1/webhooks/stripe" } },
      body: isBase64Encoded ? Buffer.from(body).toString("base64") : body,
      isBase64Encoded,
    } as unknown as ObservedEvent;
    const { statusCode, body: text = "{}" } = (await handler(event, {
      awsRequestId: randomUUID(),
    } as Context)) as APIGatewayProxyStructuredResultV2;
    return { status: statusCode, body: JSON.parse(text) };
  }

  /** What was delivered and not taken yet. */
  async function arrived(): Promise<Delivery[]> {
    await local.stripe.idle();
    return deliveries.splice(0);
  }

  /** Hands on what arrives until nothing new does; gives the outcomes by type. */
  async function settle(order: (arrived: Delivery[]) => Delivery[] = (all) => all): Promise<string[]> {
    const outcomes: string[] = [];
    for (let some = await arrived(); some.length > 0; some = await arrived()) {
      for (const delivery of order(some)) {
        const { status, body } = await receive(delivery);
        outcomes.push(`${JSON.parse(delivery.body).type} ${status} ${body.outcome ?? body.error?.details.error_code}`);
      }
    }
    return outcomes;
  }

  /** An owner with a customer, known on both sides. */
  async function owner(sub: string = randomUUID()) {
    const { id: customer_id } = await payments.customer({ sub, email: `${sub}@acme.example` });
    await customers.put({ owner_sub: sub, customer_id }, undefined);
    return { sub, customer_id };
  }

  async function workspace(own: { sub: string; customer_id: string }, slot = 1, changes: Partial<Tenant> = {}) {
    const tenant_id = randomUUID();
    const { id: subscription } = await payments.subscription({
      customerId: own.customer_id,
      tenantId: tenant_id,
      slot,
      label: aLabel,
      automaticTax: false,
    });
    await opened.stores.tenantEffects("console").tenant_row({
      tenant_id,
      name: tenant_id,
      slug: tenant_id,
      owner_sub: own.sub,
      stripe_subscription_id: subscription,
      tier: "starter",
      status: "active",
      has_payment_method: false,
      default_region: "eu-central-1",
      created_at: new Date(local.clock.now()).toISOString(),
      setup_state: { pending: ["membership"] },
      ...changes,
    });
    return tenant_id;
  }

  const tenant = async (tenantId: string) => (await opened.stores.tenants.get(tenantId)) as Tenant;

  /** As on Checkout's page. */
  async function setUp(customerId: string, number: string = cards.good): Promise<void> {
    const back = "https://console.example.com/billing";
    const page = await payments.setupPage({ customerId, successUrl: back, cancelUrl: back });
    await fetch(page, {
      method: "POST",
      body: new URLSearchParams({ number, expiry: "12/34", name: "Ada", country: "DE" }),
      redirect: "manual",
    });
  }

  /** As on the portal's page. */
  async function onPortal(customerId: string, form: Record<string, string>): Promise<void> {
    const url = await payments.portalPage({ customerId, returnUrl: "https://console.example.com/billing" });
    await fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
  }

  /** USD that the present month comes to. */
  async function use(customerId: string, usd: number, slot = 1): Promise<void> {
    const at = Math.floor(local.clock.now() / 1000) * 1000;
    await payments.report({ customerId, slot, at, value: usd * 1_000_000 });
  }

  async function setOnTenant(tenantId: string, name: string, value: unknown): Promise<void> {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: tenantRecord.key({ tenant_id: tenantId }),
      UpdateExpression: "SET #name = :value",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":value": value },
    });
    await opened.document.send(command);
  }

  return {
    ...{ local, opened, deps, account, payments, customers, lines, unbilled, refused, signingSecret },
    ...{ receive, arrived, settle, owner, workspace, tenant, setUp, onPortal, use, setOnTenant },
    put: (item: object) => opened.document.send(new PutCommand({ TableName: tableName, Item: item })),
    audit: async (tenantId: string) =>
      (await opened.stores.audit.list(tenantId, {}, { limit: 100, after: undefined }, local.clock.now())).items,
    async close() {
      await local.close();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
      await opened.close();
    },
  };
}
