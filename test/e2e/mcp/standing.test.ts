// Who may call tools, on the local clock: what an owner or an operator changes reaches a gateway within a minute, with a reason that a
// model can read, and what is given back works with the sign-in of before.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addMember, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { type ServedUpstream, serveUpstream } from "../../support/mcp/served-upstream.ts";
import {
  askControl,
  type Gateway,
  readyGateway,
  registerServer,
  type ToolWorkspace,
  toolWorkspace,
} from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const mostMs = 60_000;

let stack: Stack;
let upstream: ServedUpstream;
let workspace: ToolWorkspace;
let member: Person;
let admin: Person;
let gateway: Gateway;
let token: string;

beforeAll(async () => {
  stack = await sharedStack();
  upstream = await serveUpstream(stack);
  admin = stack.demo?.platform_admin as Person;
  [workspace, member] = await Promise.all([
    toolWorkspace(stack, "owner@standing.example"),
    signUp(stack, "member@standing.example"),
  ]);
  await addMember(stack, workspace.tenantId, member);
  gateway = await readyGateway(stack, workspace.owner);
  upstream.good.add("a-secret");
  const auth = { kind: "bearer", secret: "a-secret" };
  const body = { name: "pets", target_mode: "mcp_server", endpoint: upstream.endpoint, auth };
  await registerServer(stack, workspace.owner, body);
  token = await connectorToken(gateway, member);
});
afterAll(() => upstream.close());

/** What the tool answered, and whether it calls that a failure. */
async function feed(): Promise<[isError: boolean, text: string]> {
  const called = { name: "pets___feed", arguments: { pet: "Rex" } };
  const { message } = await ask(gateway.endpoint, token, "tools/call", called);
  return [message.result.isError ?? false, message.result.content[0].text];
}

/** The answer just before, which makes the gateway remember it, and a minute after a change. */
async function aMinuteAfter(change: () => Promise<{ status: number }>) {
  const before = await feed();
  const { status } = await change();
  expect(status).toBeLessThan(300);
  stack.clock.advance(mostMs);
  return { before, after: await feed() };
}

const fed = [false, "Rex is fed"];
const tenant = () => `/v1/tenants/${workspace.tenantId}`;

describe("within a minute", () => {
  test("tools of a suspended workspace say so, and work again after its resumption, with the earlier sign-in", async () => {
    const suspended = await aMinuteAfter(() =>
      askControl(stack, admin, "POST", `${tenant()}/suspend`, { reason: "Unpaid" }),
    );
    expect(suspended).toEqual({ before: fed, after: [true, expect.stringContaining("suspended")] });
    const { before, after } = await aMinuteAfter(() => askControl(stack, admin, "POST", `${tenant()}/resume`));
    expect([before[0], after]).toEqual([true, fed]);
  });

  test("during an outage of the store people whose rights were just checked can still call tools, and no others", async () => {
    expect(await feed()).toEqual(fed);
    stack.faults.put(
      ["GetItem", "BatchGetItem", "TransactGetItems", "Query"].map((operation) => ({
        service: "dynamodb",
        operation,
        when: "before",
        kind: "error",
        times: 100,
      })),
    );
    stack.clock.advance(mostMs / 2);
    expect(await feed()).toEqual(fed);
    stack.clock.advance(mostMs / 2);
    expect(await feed()).toEqual([true, expect.stringContaining("cannot look up your membership")]);
    stack.faults.clear();
    expect(await feed()).toEqual(fed);
  });

  test("a removed person is told to ask the owner, and their list of tools is an error, too", async () => {
    const removed = await aMinuteAfter(() => askControl(stack, workspace.owner, "DELETE", `/v1/users/${member.sub}`));
    expect(removed).toEqual({ before: fed, after: [true, expect.stringContaining("not a member")] });
    const listed = await ask(gateway.endpoint, token, "tools/list");
    expect(listed.message.error).toMatchObject({ message: expect.stringContaining("not a member") });
  });

  test("tools of a deleted workspace say so", async () => {
    token = await connectorToken(gateway, workspace.owner);
    const deleted = await aMinuteAfter(() => askControl(stack, workspace.owner, "DELETE", tenant()));
    expect(deleted).toEqual({ before: fed, after: [true, expect.stringContaining("deleted")] });
  });

  test("no refused tool call has reached the server", () => {
    const own = stack.logs.lines().filter(({ line }) => line.includes(workspace.tenantId));
    expect(own.filter(({ line }) => line.includes('"refused"')).length).toBeGreaterThan(2);
    expect(upstream.calledWith).toHaveLength(own.filter(({ line }) => isFed(line)).length);
  });
});

function isFed(line: string): boolean {
  return line.includes('"tool_call"') && line.includes('"outcome":"ok"');
}
