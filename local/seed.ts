// The demo workspace, made once: through the platform's own pages and calls, as its people would make it.
import { index, keys } from "../adapters/dynamodb/schema.ts";
import { consoleToken } from "./app-client.ts";
import type { Demo, Person, Stack } from "./running-stack.ts";
import type { Store } from "./store.ts";

const password = "Demo-password-1";

/** The demo workspace: the one that is there, or a new one. */
export async function seed(stack: Stack, store: Store): Promise<Demo> {
  const kept = store.collection<Demo>("demo");
  const known = kept.get("demo");
  if (known) return known;
  const demo = await createDemo(stack);
  kept.put("demo", demo);
  return demo;
}

async function createDemo(stack: Stack): Promise<Demo> {
  const [owner, developer, platform_admin] = await Promise.all([
    signUp(stack, "owner@acme.example"),
    signUp(stack, "developer@acme.example"),
    signUp(stack, platformAdminEmail(stack)),
  ]);
  const tenant = await call(stack, await consoleToken(stack, owner), "POST", "/v1/tenants", { name: "Acme" });
  const { tenant_id, slug } = tenant as { tenant_id: string; slug: string };
  await addPaymentMethod(stack, tenant_id);
  await addMember(stack, tenant_id, developer);
  // Only a token made after the workspace names it.
  const token = await consoleToken(stack, owner);
  const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1", "us-east-1"], monthly_budget_usd: 50 };
  await call(stack, token, "PUT", `/v1/grants/${developer.sub}`, limits);
  const key = { name: "Demo service account", kind: "service_account", grant: limits };
  const { key: api_key } = (await call(stack, token, "POST", "/v1/keys", key)) as { key: string };
  return { tenant_id, slug, api_key, owner, developer, platform_admin };
}

/** Signs up with the code out of the mail. */
async function signUp(stack: Stack, email: string): Promise<Person> {
  const ClientId = stack.program.exports.consoleClientId;
  const account = { ClientId, Username: email, Password: password, UserAttributes: [{ Name: "email", Value: email }] };
  const { UserSub } = await cognito(stack, "SignUp", account);
  const [mail] = stack.mailbox.mails(email).slice(-1);
  const ConfirmationCode = /\b\d{6}\b/.exec(mail?.text ?? "")?.[0];
  await cognito(stack, "ConfirmSignUp", { ClientId, Username: email, ConfirmationCode });
  return { email, password, sub: UserSub as string };
}

/** A call of the user pool that needs no signature. */
async function cognito(stack: Stack, operation: string, input: object): Promise<Record<string, unknown>> {
  const response = await fetch(stack.aws, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The demo workspace could not be made: ${operation} answered ${text}`);
  return text === "" ? {} : JSON.parse(text);
}

async function call(stack: Stack, token: string, method: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(stack.at("api") + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The demo workspace could not be made: ${method} ${path} answered ${text}`);
  return JSON.parse(text);
}

function platformAdminEmail({ program }: Stack): string {
  const triggers = program.resources
    .ofType("aws:lambda/function:Function")
    .find(({ inputs }) => inputs.environment?.variables?.PLATFORM_ADMINS);
  const [email] = JSON.parse(triggers?.inputs.environment.variables.PLATFORM_ADMINS ?? "[]") as string[];
  return email ?? "admin@archway.example";
}

// What has no call of the control plane yet is written as that call will write it: invitations and payment methods.

async function addMember(stack: Stack, tenantId: string, { sub }: Person): Promise<void> {
  const now = new Date(stack.clock.now()).toISOString();
  await write(stack, "PutItem", {
    Item: strings({
      ...keys.membership(sub, tenantId),
      ...index.member(tenantId, sub),
      sub,
      tenant_id: tenantId,
      tenant_role: "developer",
      status: "active",
      created_at: now,
      activated_at: now,
    }),
  });
}

async function addPaymentMethod(stack: Stack, tenantId: string): Promise<void> {
  await write(stack, "UpdateItem", {
    Key: strings(keys.tenant(tenantId)),
    UpdateExpression: "SET has_payment_method = :true",
    ExpressionAttributeValues: { ":true": { BOOL: true } },
  });
}

function strings(item: Record<string, string>): Record<string, { S: string }> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, { S: value }]));
}

async function write({ dynamodb, program }: Stack, operation: string, input: object): Promise<void> {
  const [table] = program.resources.ofType("aws:dynamodb/table:Table");
  const body = Buffer.from(JSON.stringify({ TableName: table?.outputs.name, ...input }));
  const headers = { "x-amz-target": `DynamoDB_20120810.${operation}` };
  const request = { method: "POST", path: "/", query: new URLSearchParams(), headers, body };
  await dynamodb.handle(operation, { ...request, region: program.region, principal: undefined });
}
