// A credential rotates ten times while a member calls the tool without a break: each call is answered, under the same name.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { everything } from "../../support/accounting/accounting.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { type ServedUpstream, serveUpstream } from "../../support/mcp/served-upstream.ts";
import {
  askControl,
  outsideOf,
  readyGateway,
  registerServer,
  type ToolWorkspace,
  toolWorkspace,
} from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const rotations = 10;
/** Values that stand nowhere else. */
const secretOf = (version: number) => `credential-${version}-of-the-pets-4711`;

let stack: Stack;
let upstream: ServedUpstream;
let workspace: ToolWorkspace;

beforeAll(async () => {
  stack = await sharedStack();
  upstream = await serveUpstream(stack);
  workspace = await toolWorkspace(stack, "owner@rotation.example");
});
afterAll(() => upstream.close());

test("rotating a credential makes no call fail, changes no name, leaves one credential provider, and removes the old credential only when the new one is used", async () => {
  const { owner, tenantId } = workspace;
  const gateway = await readyGateway(stack, owner);
  upstream.good.add(secretOf(1));
  const auth = { kind: "bearer", secret: secretOf(1) };
  const body = { name: "pets", target_mode: "mcp_server", endpoint: upstream.endpoint, auth };
  const id = await registerServer(stack, owner, body);
  const token = await connectorToken(gateway, owner);
  const names = async () =>
    (await ask(gateway.endpoint, token, "tools/list")).message.result.tools.map(({ name }: { name: string }) => name);
  const before = await names();
  const { cursor } = stack.calls.since(0);

  const answers: string[] = [];
  const told: unknown[] = [];
  let isOver = false;
  let answered = (): void => undefined;
  /** The call under way may have the credential of before; it is over when the next answer is here. */
  const oneMoreAnswer = () => new Promise<void>((resolve) => (answered = resolve));
  const calling = (async () => {
    while (!isOver) {
      const called = { name: "pets___feed", arguments: { pet: "Rex" } };
      const { status, message } = await ask(gateway.endpoint, token, "tools/call", called);
      // A gateway takes 20 calls a second, and a faster machine must not meet that.
      stack.clock.advance(50);
      answers.push(
        status === 200 && !message.result?.isError ? message.result.content[0].text : JSON.stringify(message),
      );
      answered();
    }
  })();
  for (let version = 2; version <= rotations + 1; version++) {
    upstream.good.add(secretOf(version));
    const changed = { auth: { kind: "bearer", secret: secretOf(version) } };
    const answer = await askControl(stack, owner, "PUT", `/v1/mcp-servers/${id}`, changed);
    expect(answer.status).toBe(202);
    await stack.queuePoller.idle();
    const { body: server } = await askControl(stack, owner, "GET", `/v1/mcp-servers/${id}`);
    expect(server).toMatchObject({ state: "ready", version });
    told.push(answer.body, server);
    await oneMoreAnswer();
    upstream.good.delete(secretOf(version - 1));
  }
  isOver = true;
  await calling;

  expect(answers.filter((answer) => answer !== "Rex is fed")).toEqual([]);
  expect(answers.length).toBeGreaterThan(rotations);
  expect(await names()).toEqual(before);
  expect(await outsideOf(stack, tenantId)).toMatchObject({ targets: ["pets"], providers: 1, secrets: 2 });

  const order = stack.calls
    .since(cursor)
    .calls.flatMap(({ function: name, operation, status }) =>
      name === "agentcore-local" && status < 300 && changes.has(operation) ? [changes.get(operation)] : [],
    );
  const once = ["secret made", "provider made", "target moved", "provider removed", "secret removed"];
  expect(order).toEqual(Array.from({ length: rotations }, () => once).flat());

  const all = JSON.stringify([
    await everything(stack),
    stack.logs.lines(),
    stack.calls.all(),
    told,
    stack.agentcore.list(),
  ]);
  const later = await askControl(stack, owner, "GET", "/v1/audit?limit=100");
  for (let version = 1; version <= rotations + 1; version++) {
    expect(all).not.toContain(secretOf(version));
    expect(JSON.stringify(later)).not.toContain(secretOf(version));
  }
});

const changes = new Map([
  ["CreateSecret", "secret made"],
  ["CreateApiKeyCredentialProvider", "provider made"],
  ["UpdateGatewayTarget", "target moved"],
  ["DeleteApiKeyCredentialProvider", "provider removed"],
  ["DeleteSecret", "secret removed"],
]);
