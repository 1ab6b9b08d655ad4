// The purge of a workspace that has a gateway with an integration of each kind takes all that is outside the table along, also when a step
// of it fails.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { naming } from "../../support/accounting/accounting.ts";
import { failing, faultsOf, repeatedSteps } from "../../support/mcp/outside-steps.ts";
import { startProviderApis } from "../../support/mcp/provider-apis.ts";
import { type ServedUpstream, serveUpstream } from "../../support/mcp/served-upstream.ts";
import {
  askControl,
  nothing,
  outsideOf,
  readyGateway,
  registerServer,
  type ToolWorkspace,
  toolWorkspace,
} from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { sizes } from "../../support/sizes.ts";

const dayMs = 86_400_000;
const document = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://mcp.pets.example/v1" }],
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "all" } } } } },
};

let stack: Stack;
let upstream: ServedUpstream;
let providers: Awaited<ReturnType<typeof startProviderApis>>;
let workspaces = 0;

beforeAll(async () => {
  stack = await sharedStack();
  stack.agentcore.configure({ gatewayMs: 0, targetMs: 0, runtimeMs: 0, lingerMs: 0 });
  upstream = await serveUpstream(stack);
  providers = await startProviderApis(stack);
  for (const { good } of [upstream, providers]) good.add("a-secret");
});
afterAll(() => {
  providers.close();
  upstream.close();
});
afterEach(() => stack.faults.clear());

/** A workspace with a server, an API and a provider's server in a runtime, deleted as long ago as it is kept. */
async function deletedWorkspace(): Promise<ToolWorkspace> {
  const workspace = await toolWorkspace(stack, `owner-${++workspaces}@purge.example`);
  const { owner, tenantId } = workspace;
  await readyGateway(stack, owner);
  const auth = { kind: "bearer", secret: "a-secret" };
  await registerServer(stack, owner, { name: "pets", target_mode: "mcp_server", endpoint: upstream.endpoint, auth });
  await registerServer(stack, owner, { name: "api", target_mode: "openapi", spec: document, auth });
  await registerServer(stack, owner, { provider_id: "tavily", secret: "a-secret" });
  const present = { targets: ["pets", "api", "tavily"], providers: 2, runtimes: 1, secrets: 4, documents: 1 };
  expect(await outsideOf(stack, tenantId)).toMatchObject(present);
  expect((await askControl(stack, owner, "DELETE", `/v1/tenants/${tenantId}`)).status).toBe(204);
  stack.clock.advance(14 * dayMs);
  return workspace;
}

/** The hourly run, as often as a purge may need it. */
async function purged(tenantId: string): Promise<void> {
  for (let run = 0; run < 8; run++) {
    await stack.schedules.run("purge");
    await stack.queuePoller.idle();
    await stack.schedules.run("agentcore");
    await stack.queuePoller.idle();
    if ((await told(tenantId)).length === 0) return;
    stack.clock.advance(3_600_000);
  }
}

/** Where the workspace is named, but for the audit trail, which outlives it. */
const told = async (tenantId: string) => (await naming(stack, tenantId)).filter((pk) => !pk.startsWith("AUDIT#"));

async function expectGone(tenantId: string): Promise<void> {
  expect(await outsideOf(stack, tenantId)).toEqual(nothing);
  expect(await told(tenantId)).toEqual([]);
  const admin = stack.demo?.platform_admin as Person;
  expect((await askControl(stack, admin, "GET", `/v1/tenants/${tenantId}`)).status).toBe(404);
  // The tenant's key goes last: its secrets could not be removed in order without it.
  const keys = stack.kms.keys().filter(({ tags }) => tags.tenant_id === tenantId);
  expect(keys.map(({ state }) => state)).toEqual(["PendingDeletion"]);
}

test("a purge removes gateway, integrations, credentials, documents and clients, whichever step of it fails", async () => {
  const { tenantId } = await deletedWorkspace();
  const { cursor } = stack.calls.since(0);
  await purged(tenantId);
  await expectGone(tenantId);
  const { calls } = stack.calls.since(cursor);
  const second = await deletedWorkspace();
  const { cursor: next } = stack.calls.since(0);
  await purged(second.tenantId);
  const steps = repeatedSteps(calls, stack.calls.since(next).calls);
  const lastSecret = calls.findLast(({ operation }) => operation === "DeleteSecret");
  const key = calls.find(({ operation }) => operation === "ScheduleKeyDeletion");
  expect(calls.indexOf(key as never)).toBeGreaterThan(calls.indexOf(lastSecret as never));
  for (const fault of faultsOf(steps, Math.ceil(sizes.gatewayFaults / 2))) {
    const other = await deletedWorkspace();
    await failing(stack, fault, () => purged(other.tenantId));
    stack.clock.advance(3_600_000);
    await purged(other.tenantId);
    expect([fault, await outsideOf(stack, other.tenantId)]).toEqual([fault, nothing]);
    await expectGone(other.tenantId);
  }
});
