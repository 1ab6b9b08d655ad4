// Each step outside the table fails, before or after its effect, or its function dies there: in a gateway's creation,
// its secret's rotation and its removal, and in an integration's registration, rotation and removal. A repeat ends in one clean state, and after the removal there is nothing.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import * as oauth from "oauth4webapi";
import type { Stack } from "../../../local/stack.ts";
import { signInConnector } from "../../support/mcp/connector.ts";
import { caughtUp, failing, faultsOf, outsideSteps } from "../../support/mcp/outside-steps.ts";
import { type ServedUpstream, serveUpstream } from "../../support/mcp/served-upstream.ts";
import {
  askControl,
  type Gateway,
  nothing,
  outsideOf,
  readyGateway,
  registerServer,
  type ToolWorkspace,
  toolWorkspace,
} from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { sizes } from "../../support/sizes.ts";

const servers = "/v1/mcp-servers";
const oneGateway = { ...nothing, gateways: 1, rateLimits: 1, secrets: 1, clients: 2 };
const oneServer = { ...oneGateway, targets: ["pets"], providers: 1, secrets: 2 };

let stack: Stack;
let upstream: ServedUpstream;
let workspace: ToolWorkspace;

beforeAll(async () => {
  stack = await sharedStack();
  stack.agentcore.configure({ gatewayMs: 0, targetMs: 0, lingerMs: 0 });
  upstream = await serveUpstream(stack);
  workspace = await toolWorkspace(stack, "owner@faults.example");
});
afterAll(() => upstream.close());
afterEach(() => stack.faults.clear());

const ask = (method: string, path: string, body?: unknown) => askControl(stack, workspace.owner, method, path, body);

/** A request, and what follows from it. Another one while a lease stands, or while something is being removed, is refused. */
async function done(method: string, path: string, body?: unknown) {
  const answer = await ask(method, path, body);
  await stack.queuePoller.idle();
  return answer;
}

type Act = {
  prepare(): Promise<unknown>;
  /** May be repeated. */
  act(): Promise<unknown>;
  /** What there is in the end. */
  left: object;
};

const credential = (secret: string) => {
  upstream.good.add(secret);
  return { kind: "bearer", secret };
};
const pets = () => ({
  name: "pets",
  target_mode: "mcp_server",
  endpoint: upstream.endpoint,
  auth: credential("first-secret"),
});
const idOf = async () => (await ask("GET", servers)).body.data[0]?.server_id as string | undefined;
const withServer = async () => {
  await readyGateway(stack, workspace.owner);
  await registerServer(stack, workspace.owner, pets());
};

const acts: Record<string, Act> = {
  "a gateway is made": { prepare: async () => {}, act: () => done("POST", "/v1/mcp-gateway"), left: oneGateway },
  "a gateway's secret is rotated": {
    prepare: () => readyGateway(stack, workspace.owner),
    act: () => done("POST", "/v1/mcp-gateway/rotate-secret"),
    left: oneGateway,
  },
  "a gateway is removed": { prepare: withServer, act: () => done("DELETE", "/v1/mcp-gateway"), left: nothing },
  "an integration is registered": {
    prepare: () => readyGateway(stack, workspace.owner),
    // As people repeat it who see it in the list: by PUT.
    act: async () => {
      const id = await idOf();
      return id === undefined ? done("POST", servers, pets()) : done("PUT", `${servers}/${id}`, { auth: pets().auth });
    },
    left: oneServer,
  },
  "an integration's credential is rotated": {
    prepare: withServer,
    act: async () => done("PUT", `${servers}/${await idOf()}`, { auth: credential("second-secret") }),
    left: oneServer,
  },
  "an integration is removed": {
    prepare: withServer,
    act: async () => {
      const id = await idOf();
      return id === undefined ? undefined : done("DELETE", `${servers}/${id}`);
    },
    left: oneGateway,
  },
};

/** The gateway is ready, and the secret that is shown signs somebody in. */
async function expectUsable(): Promise<void> {
  const { body } = await ask("POST", "/v1/mcp-gateway");
  expect(body).toMatchObject({ state: "ready" });
  const { client_id: clientId, client_secret, endpoint } = body as Gateway;
  const authentication = oauth.ClientSecretPost(client_secret);
  const { tokens } = await signInConnector({ endpoint, clientId, person: workspace.owner, authentication });
  expect(tokens.access_token).toEqual(expect.any(String));
}

async function emptied(): Promise<void> {
  await done("DELETE", "/v1/mcp-gateway");
  for (let round = 0; round < 3 && (await ask("GET", "/v1/mcp-gateway")).status !== 404; round++) {
    await caughtUp(stack);
  }
  expect(await outsideOf(stack, workspace.tenantId)).toEqual(nothing);
}

test.each(Object.entries(acts))("a fault in AgentCore leaves a clean state: %s", async (_, { prepare, act, left }) => {
  await prepare();
  const { cursor } = stack.calls.since(0);
  await act();
  const steps = outsideSteps(stack.calls.since(cursor).calls);
  expect(steps.length).toBeGreaterThan(2);
  expect(await outsideOf(stack, workspace.tenantId)).toEqual(left);
  await emptied();
  for (const fault of faultsOf(steps, sizes.gatewayFaults)) {
    await prepare();
    await failing(stack, fault, act);
    await act();
    await caughtUp(stack);
    await act();
    await caughtUp(stack);
    expect([fault, await outsideOf(stack, workspace.tenantId)]).toEqual([fault, left]);
    if (left !== nothing) await expectUsable();
    if (left === oneServer) expect((await ask("GET", servers)).body.data).toMatchObject([{ state: "ready" }]);
    await emptied();
  }
});

test("a registration whose request was interrupted before its credential was stored fails with that reason after the hourly run", async () => {
  await readyGateway(stack, workspace.owner);
  stack.faults.put([
    { service: "lambda", operation: "Invoke", match: "apply_server", when: "before", kind: "error", times: 9 },
  ]);
  expect((await done("POST", servers, pets())).status).toBe(503);
  stack.faults.clear();
  expect((await ask("GET", servers)).body.data).toMatchObject([{ state: "creating" }]);
  await caughtUp(stack);
  const { body } = await ask("GET", servers);
  expect(body.data).toMatchObject([{ state: "failed", reason: expect.stringContaining("send it anew with PUT") }]);
  const denied = stack.calls.all().filter(({ allowed, function: name }) => !allowed && name === "agentcore-local");
  expect(denied).toEqual([]);
  await emptied();
});
