// What the hourly schedules find by themselves: workspaces from before the stack billed, and keys that belong to nobody.
import { DeleteItemCommand, DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { reconcileProgressRecord } from "../../../adapters/dynamodb/provisioning/manifest.record.ts";
import { directoryRecord } from "../../../adapters/dynamodb/workspace/directory.record.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { clientOptions } from "../../../emulators/test/support/aws-endpoint.ts";
import { openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt } from "../../support/accounting/accounting.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";

let stack: Stack;
let TableName: string;
let purge: DynamoDBClient;
let control: DynamoDBClient;

/** With a function's own rights: the purge may delete rows, control may change them. */
function clientAs(roleName: string): DynamoDBClient {
  const role = [...stack.iam.roles.values()].find(({ name }) => name === roleName);
  if (!role) throw new Error(`no role ${roleName}`);
  const principal = { roleArn: role.arn, sessionName: "test", sessionTags: {} };
  return new DynamoDBClient(clientOptions(stack.aws, stack.credentials.issue(principal)));
}
const remove = (key: object) => purge.send(new DeleteItemCommand({ TableName, Key: marshall(key) }));

beforeAll(async () => {
  stack = await startSeeded();
  TableName = stack.program.resources.ofType("aws:dynamodb/table:Table")[0]?.outputs.name;
  [purge, control] = [clientAs("purge-local"), clientAs("control-local")];
});
afterAll(async () => {
  for (const client of [purge, control]) client.destroy();
  await stack.stop();
});

async function runSchedules(): Promise<void> {
  stack.clock.advance(600_000);
  for (const name of ["reconcile", "tenant-keys"]) await stack.schedules.run(name);
  await stack.queuePoller.idle();
}
const row = (key: { pk: string; sk: string }) => itemAt(stack, key);
const keyOf = (tenantId: string) => stack.kms.keys().filter(({ tags }) => tags.tenant_id === tenantId);

/** A workspace that has been looked at, as one of a stack that billed nobody: its steps at the payment provider are still to come. */
async function anUnbilledWorkspace(name: string, email: string) {
  const tenant_id = await openWorkspaceWithoutKey(name, email);
  const looked = {
    TableName,
    Key: marshall(directoryRecord.key({ tenant_id })),
    UpdateExpression: "REMOVE gsi2_pk, gsi2_sk",
  };
  await control.send(new UpdateItemCommand(looked));
  return tenant_id;
}

test("the first reconciliation of a stack that begins to bill sets up billing for earlier workspaces, once", async () => {
  const tenant_id = await anUnbilledWorkspace("Earlier", "earlier@tenants.example");
  await runSchedules();
  const [subscription, ...more] = stack.stripe.account.subscriptions
    .all()
    .filter(({ metadata }) => metadata.tenant_id === tenant_id);
  expect([subscription?.id, more]).toEqual([expect.any(String), []]);
  expect((await row(tenantRecord.key({ tenant_id })))?.stripe_subscription_id).toBe(subscription?.id);
  expect(await row(reconcileProgressRecord.key({}))).toMatchObject({ finished: true });
});

test("without new work the schedules read only the lists, keys, tenants and invitations, and write nothing", async () => {
  await runSchedules();
  const before = stack.calls.all().length;
  await runSchedules();
  const calls = stack.calls.all().slice(before);
  const told = calls
    .filter(({ function: name, service }) => name !== undefined && service !== "logs")
    .map(({ function: name, service, operation }) => `${name?.replace("-local", "")}: ${service} ${operation}`);
  expect(told.toSorted()).toEqual([
    // Who was invited and never came, and who signed up and never confirmed.
    ...["accounts: cognito-idp ListUsers", "accounts: cognito-idp ListUsers"],
    // The tenants' keys, and the customers whose state is due to be read.
    ...["reconcile: dynamodb GetItem", "reconcile: dynamodb Query", "reconcile: dynamodb Query"],
    ...["reconcile: lambda Invoke", "reconcile: lambda Invoke"],
    // Each key's policy is brought to what the program says.
    ...["tenant-keys: dynamodb BatchGetItem", "tenant-keys: kms GetKeyPolicy", "tenant-keys: kms GetKeyPolicy"],
    "tenant-keys: tagging GetResources",
  ]);
});

test("the key of a tenant whose row is gone is given up by its schedule, and all other keys stay", async () => {
  const owner = await signUp(stack, "gone@tenants.example");
  const { tenant_id } = await openWorkspace(stack, owner, "Gone");
  await remove(tenantRecord.key({ tenant_id }));
  await runSchedules();
  expect(keyOf(tenant_id).map(({ state }) => state)).toEqual(["PendingDeletion"]);
  expect(Object.keys(stack.kms.aliases()).filter((name) => name.endsWith(tenant_id))).toEqual([]);
  expect(keyOf(stack.demo?.tenant_id ?? "").map(({ state }) => state)).toEqual(["Enabled"]);
});

test("a tenant whose reconciliation fails does not stop that of others", async () => {
  const fine = await openWorkspaceWithoutKey("Fine", "fine@tenants.example");
  const broken = await openWorkspaceWithoutKey("Broken", "broken@tenants.example");
  stack.faults.put([
    { service: "kms", operation: "CreateKey", match: broken, kind: "error", when: "before", times: 50 },
  ]);
  await runSchedules();
  expect(keyOf(fine)).toHaveLength(1);
  expect(keyOf(broken)).toEqual([]);
  stack.faults.clear();
  await runSchedules();
  expect(keyOf(broken)).toHaveLength(1);
});

/** Its key is made by nobody until the reconciliation comes. */
async function openWorkspaceWithoutKey(name: string, email: string): Promise<string> {
  const owner = await signUp(stack, email);
  stack.faults.put([
    { service: "lambda", operation: "Invoke", kind: "error", when: "before", times: 9 },
    { service: "sqs", operation: "SendMessage", kind: "error", when: "before", times: 9 },
  ]);
  const { tenant_id } = await openWorkspace(stack, owner, name);
  stack.faults.clear();
  return tenant_id;
}
