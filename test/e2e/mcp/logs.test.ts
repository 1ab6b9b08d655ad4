// Two workspaces with an integration of the same name: the log of one never shows a call of the other, whatever is asked for.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { type ServedUpstream, serveUpstream } from "../../support/mcp/served-upstream.ts";
import {
  askControl,
  readyGateway,
  registerServer,
  type ToolWorkspace,
  toolWorkspace,
} from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

type Party = ToolWorkspace & { serverId: string };

let stack: Stack;
let upstream: ServedUpstream;
let one: Party;
let other: Party;

beforeAll(async () => {
  stack = await sharedStack();
  upstream = await serveUpstream(stack);
  upstream.good.add("a-secret");
  [one, other] = [await party("one@logs.example"), await party("other@logs.example")];
});
afterAll(() => upstream.close());

/** Somebody who has called the tool once. */
async function party(email: string): Promise<Party> {
  const workspace = await toolWorkspace(stack, email);
  const gateway = await readyGateway(stack, workspace.owner);
  const auth = { kind: "bearer", secret: "a-secret" };
  const body = { name: "pets", target_mode: "mcp_server", endpoint: upstream.endpoint, auth };
  const serverId = await registerServer(stack, workspace.owner, body);
  const token = await connectorToken(gateway, workspace.owner);
  await ask(gateway.endpoint, token, "tools/call", { name: "pets___feed", arguments: { pet: "Rex" } });
  return { ...workspace, serverId };
}

const logOf = (who: Party, query: Record<string, string> = {}, serverId = who.serverId) =>
  askControl(stack, who.owner, "GET", `/v1/mcp-servers/${serverId}/logs?${new URLSearchParams(query)}`);

test("each workspace sees only its own tool calls and integrations", async () => {
  for (const who of [one, other]) {
    const { body } = await logOf(who);
    expect(body.data.map(({ caller_id }: { caller_id: string }) => caller_id)).toEqual([who.owner.sub]);
  }
  expect((await logOf(one, {}, other.serverId)).status).toBe(404);
});

const filters = (): [string, string][] => [
  ["caller_id", other.owner.sub],
  ["caller_id", `${one.owner.sub}" or caller_id = "${other.owner.sub}`],
  ["tool", 'feed" or tenant_id like "'],
  ["tool", 'feed" | fields @message #'],
  ["tool", `feed" or 1 = 1 | filter tenant_id = "${other.tenantId}`],
  ["tool", "/.*/"],
  ["tool", "feed\\"],
  ["tool", "*"],
  ["tool", "%"],
  ["tool", "feed`"],
  ["tool", "feed'"],
  ["tool", "feed\n| filter 1 = 1"],
  ["outcome", 'ok" or tenant_id != "'],
  ["cursor", `9999999999999#0" or tenant_id = "${other.tenantId}`],
  ["limit", "1000000"],
  ["from", "1970-01-01T00:00:00Z"],
  ["to", "9999-12-31T23:59:59Z"],
  ["tenant_id", other.tenantId],
  ["target", "pets"],
];

test("no text in a filter shows a call of another workspace", async () => {
  for (const [name, text] of filters()) {
    const query = { [name]: text };
    const { status, body } = await logOf(one, query);
    expect([query, [200, 400].includes(status)]).toEqual([query, true]);
    const callers = (body.data ?? []).map(({ caller_id }: { caller_id: string }) => caller_id);
    expect([query, callers.filter((caller: string) => caller !== one.owner.sub)]).toEqual([query, []]);
  }
});
