// Who calls in a scenario: keys of the demo workspace with different grants, and a workspace that is suspended.
import { randomBytes } from "node:crypto";
import { tenantRecord } from "../../adapters/dynamodb/workspace/tenant.record.ts";
import { table } from "../../emulators/pulumi/services/dynamodb.ts";
import { consoleToken, helperToken } from "../../local/demo/app-client.ts";
import { addPaymentMethod, callControlPlane, openWorkspace, signUp } from "../../local/demo/workspace.ts";
import type { Person, Stack } from "../../local/running-stack.ts";

export const accountNames = [
  "granted",
  "wrong key",
  "spent budget",
  "model not granted",
  "region not granted",
  "suspended workspace",
  "another workspace",
  "no workspace",
  "token of a person",
] as const;

export type AccountName = (typeof accountNames)[number];

export type Account = {
  slug: string;
  /** An API key or a JWT. */
  credential: string;
  headers: Record<string, string>;
};

const everything = {
  allowed_models: ["*"],
  allowed_regions: ["eu-central-1", "us-east-1"],
  monthly_budget_usd: 5_000,
  // Fable has no other.
  allow_global_profiles: true,
  rate_limit: { burst: 1_000, per_minute: 3_600 },
};

/** A person's token as the helper would print it now: an hour later, or after the stack's clock was moved, it is too old. */
export async function freshTokenOfPerson(stack: Stack): Promise<Account> {
  if (!stack.demo) throw new Error("the stack has no demo workspace");
  return { slug: stack.demo.slug, credential: await helperToken(stack, stack.demo.owner), headers: {} };
}

export async function openAccounts(stack: Stack): Promise<Record<AccountName, Account>> {
  const demo = stack.demo;
  if (!demo) throw new Error("the stack has no demo workspace");
  const token = await consoleToken(stack, demo.owner);
  const keyOf = async (name: string, grant: object, by = token) => {
    const body = { name, kind: "service_account", grant: { ...everything, ...grant } };
    const made = (await callControlPlane(stack, by, "POST", "/v1/keys", body)) as { key: string };
    return made.key;
  };
  const account = (credential: string, slug = demo.slug): Account => ({ slug, credential, headers: {} });
  const granted = account(await keyOf("granted", {}));
  const spent = account(await keyOf("spent", { monthly_budget_usd: 0.0001 }));
  await spend(stack, spent);
  const suspended = await openSuspended(stack, keyOf);
  const onlyHaiku = { allowed_models: ["claude-haiku-4-5"] };
  const onlyAmerica = { allowed_regions: ["us-east-1"], default_region: "us-east-1" };
  return {
    granted,
    "wrong key": account(wrongKey(granted.credential)),
    "spent budget": spent,
    "model not granted": account(await keyOf("only haiku 4.5", onlyHaiku)),
    "region not granted": {
      ...account(await keyOf("only us-east-1", onlyAmerica)),
      headers: { "X-Platform-Region": "eu-central-1" },
    },
    "suspended workspace": suspended,
    "another workspace": { ...granted, slug: await openElsewhere(stack) },
    "no workspace": { ...granted, slug: "nobody-here" },
    "token of a person": await freshTokenOfPerson(stack),
  };
}

/** The shape of a key, and nobody's. */
function wrongKey(key: string): string {
  return `${key.slice(0, -20)}${randomBytes(10).toString("hex")}`;
}

/** One call, so that more than the budget is spent. */
async function spend(stack: Stack, { slug, credential }: Account): Promise<void> {
  const body = {
    model: "claude-opus-5-5",
    max_tokens: 8_192,
    messages: [{ role: "user", content: "What is an arch?" }],
  };
  const answer = await fetch(`${stack.at(`${slug}.proxy`)}/vendor/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": credential, "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`the budget could not be spent: ${await answer.text()}`);
  await answer.text();
}

/** A workspace of somebody else, with a key of its own. */
export async function accountElsewhere(stack: Stack): Promise<Account> {
  const owner = await signUp(stack, "owner@neighbour.example");
  const { slug } = await openWorkspace(stack, owner, "Neighbour");
  await addPaymentMethod(stack, owner);
  const body = { name: "neighbour's", kind: "service_account", grant: everything };
  const token = await consoleToken(stack, owner);
  const { key } = (await callControlPlane(stack, token, "POST", "/v1/keys", body)) as { key: string };
  return { slug, credential: key, headers: {} };
}

/** A workspace of somebody else; gives its slug. */
async function openElsewhere(stack: Stack): Promise<string> {
  const owner = await signUp(stack, "owner@elsewhere.example");
  return (await openWorkspace(stack, owner, "Elsewhere")).slug;
}

async function openSuspended(
  stack: Stack,
  keyOf: (name: string, grant: object, token: string) => Promise<string>,
): Promise<Account> {
  const owner: Person = await signUp(stack, "owner@closed.example");
  const { tenant_id, slug } = await openWorkspace(stack, owner, "Closed");
  await addPaymentMethod(stack, owner);
  const credential = await keyOf("of a suspended workspace", {}, await consoleToken(stack, owner));
  await suspend(stack, tenant_id);
  return { slug, credential, headers: {} };
}

/** Written as the control plane will write it: no call of it suspends a workspace yet. */
async function suspend({ dynamodb, program }: Stack, tenantId: string): Promise<void> {
  const [declared] = program.resources.ofType(table.type);
  const key = Object.entries(tenantRecord.key({ tenant_id: tenantId })).map(([name, value]) => [name, { S: value }]);
  const input = {
    TableName: declared?.outputs.name,
    Key: Object.fromEntries(key),
    UpdateExpression: "SET #status = :suspended",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: { ":suspended": { S: "suspended" } },
  };
  await dynamodb.handle("UpdateItem", {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: { "x-amz-target": "DynamoDB_20120810.UpdateItem" },
    body: Buffer.from(JSON.stringify(input)),
    region: program.region,
    principal: undefined,
  });
}
