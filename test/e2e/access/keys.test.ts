// API keys through the whole platform: changed, rotated, expired, revoked, and their last use, by an unmodified client.
import { afterEach, beforeAll, expect, test } from "@jest/globals";
import { lastUseRecord } from "../../../adapters/dynamodb/keys/last-use.record.ts";
import { consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, settled, spendingOf } from "../../support/accounting/accounting.ts";
import { startInstances } from "../../support/instances.ts";
import { aServiceAccount, ask, type ServiceAccount } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";

let stack: Stack;
let token: string;
beforeAll(async () => {
  stack = await sharedStack();
  token = await consoleToken(stack, stack.demo?.owner ?? { email: "", password: "" });
});
afterEach(async () => {
  stack.faults.clear();
  stack.bedrock.clear();
  await settled(stack);
});

const minute = 60_000;

/** Signs in anew, since the clock moves. */
async function manage(method: string, path: string, body?: object) {
  token = await consoleToken(stack, stack.demo?.owner ?? { email: "", password: "" });
  // biome-ignore lint/suspicious/noExplicitAny: tests read into it
  return (await callControlPlane(stack, token, method as "POST", `/v1/keys${path}`, body as object)) as any;
}

async function call(key: string, changes: object = {}): Promise<number> {
  const response = await ask(stack, changes, { key });
  await response.text();
  await settled(stack);
  return response.status;
}

async function operationsOf(work: () => Promise<unknown>): Promise<string[]> {
  const { cursor } = stack.calls.since(0);
  await work();
  await settled(stack);
  return stack.calls.since(cursor).calls.map(({ operation }) => operation);
}

const usedAt = async ({ key_id }: Pick<ServiceAccount, "key_id">) =>
  (await itemAt(stack, lastUseRecord.key({ key_id })))?.used_at as string | undefined;

test("a service account's limits change without a new key, within 60 s", async () => {
  const { key, key_id } = await aServiceAccount(stack);
  expect(await call(key)).toBe(200);
  const grant = { allowed_models: ["claude-haiku-4-5"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 50 };
  await manage("PATCH", `/${key_id}`, { grant });
  stack.clock.advance(minute);
  expect(await call(key)).toBe(403);
  expect(await call(key, { model: "claude-haiku-4-5" })).toBe(200);
});

test("a rotation keeps the caller and its spending, and the old key is valid only for the overlap", async () => {
  const old = await aServiceAccount(stack);
  expect(await call(old.key)).toBe(200);
  const before = (await spendingOf(stack, old.caller_id)).spent;
  const rotated = await manage("POST", `/${old.key_id}/rotate`, { overlap_seconds: 600 });
  expect(rotated).toMatchObject({ caller_id: old.caller_id, replaces: { key_id: old.key_id } });
  expect(await call(rotated.key)).toBe(200);
  expect((await spendingOf(stack, old.caller_id)).spent).toBe(2 * before);
  stack.clock.advance(Date.parse(rotated.replaces.expires_at) - stack.clock.now() - 1_000);
  expect([await call(old.key), await call(rotated.key)]).toEqual([200, 200]);
  stack.clock.advance(minute);
  expect([await call(old.key), await call(rotated.key)]).toEqual([401, 200]);
});

test("an expiry, a revocation and a rotation without overlap take effect within 60 s", async () => {
  const [ended, revoked, replaced] = [
    await aServiceAccount(stack),
    await aServiceAccount(stack),
    await aServiceAccount(stack),
  ];
  const all = () => Promise.all([ended, revoked, replaced].map(({ key }) => call(key)));
  expect(await all()).toEqual([200, 200, 200]);
  await manage("PATCH", `/${ended.key_id}`, { expires_at: new Date(stack.clock.now() + minute - 1_000).toISOString() });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${stack.at("api")}/v1/keys/${revoked.key_id}`, { method: "DELETE", headers });
  expect(answer.status).toBe(204);
  await manage("POST", `/${replaced.key_id}/rotate`, { overlap_seconds: 0 });
  stack.clock.advance(minute);
  expect(await all()).toEqual([401, 401, 401]);
});

test("live and test keys behave and cost alike", async () => {
  const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 50 };
  const costs = [];
  for (const mode of ["live", "test"]) {
    const made = await manage("POST", "", { name: mode, mode, kind: "service_account", grant });
    expect(made.key).toMatch(new RegExp(`^ar_${mode}_`));
    expect(await call(made.key)).toBe(200);
    costs.push((await spendingOf(stack, made.caller_id)).spent);
  }
  expect(costs[0]).toBeGreaterThan(0);
  expect(costs[1]).toBe(costs[0]);
});

test("a key's last use is stored after the settlement, once a minute; other calls of a warm instance make three calls to the store", async () => {
  const account = await aServiceAccount(stack);
  const warm = ["UpdateItem", "InvokeModelWithResponseStream", "PutItem", "UpdateItem"];
  await call(account.key);
  expect(await operationsOf(() => call(account.key))).toEqual(warm);
  // A long whole answer is read from a stream, and costs no call more.
  expect(await operationsOf(() => call(account.key, { stream: false, max_tokens: 16_384 }))).toEqual(warm);
  stack.clock.advance(minute);
  await call(stack.demo?.api_key ?? "");
  const first = await operationsOf(() => call(account.key));
  expect(first.slice(-4)).toEqual(["InvokeModelWithResponseStream", "PutItem", "UpdateItem", "PutItem"]);
  expect(await operationsOf(() => call(account.key))).toEqual(warm);
  const listed = (await manage("GET", `?caller_id=${account.caller_id}`)).data;
  expect(listed).toEqual([expect.objectContaining({ key_id: account.key_id, last_used_at: await usedAt(account) })]);
  expect(Date.parse(listed[0].last_used_at)).toBeLessThanOrEqual(stack.clock.now());
});

test("a request that calls no model counts as a use of its key, and a token's use is not stored", async () => {
  const account = await aServiceAccount(stack);
  const models = (headers: Record<string, string>) =>
    fetch(`${stack.at(`${stack.demo?.slug}.proxy`)}/vendor/v1/models`, { headers }).then((answer) => answer.text());
  await models({ "x-api-key": account.key });
  await settled(stack);
  expect(await usedAt(account)).toBeDefined();
  const jwt = await helperToken(stack, stack.demo?.developer ?? { email: "", password: "" });
  expect(await operationsOf(() => models({ authorization: `Bearer ${jwt}` }))).not.toContain("PutItem");
});

test("an answer ends and is settled even if storing the key's last use fails, which is only logged", async () => {
  const account = await aServiceAccount(stack);
  await startInstances(stack, 1);
  stack.faults.put([
    { service: "dynamodb", operation: "PutItem", match: "USED#", kind: "error", when: "before", times: 1_000 },
  ]);
  expect(await call(account.key)).toBe(200);
  expect(await spendingOf(stack, account.caller_id)).toMatchObject({ inflight: 0, reservations: [] });
  expect((await spendingOf(stack, account.caller_id)).spent).toBeGreaterThan(0);
  expect(await usedAt(account)).toBeUndefined();
  expect(stack.logs.lines("proxy-local").some(({ line }) => line.includes("last_use_not_noted"))).toBe(true);
});

test("an answer arrives while storing the key's last use still waits for the store", async () => {
  const account = await aServiceAccount(stack);
  stack.faults.put([
    { service: "dynamodb", operation: "PutItem", match: "USED#", kind: "delay", when: "before", milliseconds: 1_500 },
  ]);
  const response = await ask(stack, {}, { key: account.key });
  expect(await response.text()).toContain("message_stop");
  expect(await usedAt(account)).toBeUndefined();
  await settled(stack);
  expect(await usedAt(account)).toBeDefined();
});

test.each(["cut", "error"] as const)("a change of a key whose answer is lost (%s) is made once", async (kind) => {
  const old = await aServiceAccount(stack);
  const lose = (match: string) =>
    stack.faults.put([{ service: "dynamodb", operation: "TransactWriteItems", match, kind, when: "after" }]);
  lose("replaced_by");
  const rotated = await manage("POST", `/${old.key_id}/rotate`, {});
  expect(stack.faults.list()).toMatchObject([{ struck: 1 }]);
  lose("key.update");
  expect(await manage("PATCH", `/${rotated.key_id}`, { name: "renamed" })).toMatchObject({ name: "renamed" });
  expect(stack.faults.list()).toMatchObject([{ struck: 1 }]);
  expect((await manage("GET", `?caller_id=${old.caller_id}`)).data).toHaveLength(2);
  expect(await call(rotated.key)).toBe(200);
});
