// The owner's rule of a tool before a developer who wants it away, through the gateway: by a PUT, by a second registration, by a removal.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
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
  toolWorkspace,
} from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const path = "/v1/mcp-servers";
const auth = { kind: "bearer", secret: "a-secret" };
const onlyOwners = [true, "Only owners of this workspace may call this tool."];

let stack: Stack;
let upstream: ServedUpstream;
let owner: Person;
let developer: Person;
let gateway: Gateway;
let token: string;

beforeAll(async () => {
  stack = await sharedStack();
  upstream = await serveUpstream(stack);
  upstream.good.add(auth.secret);
  const workspace = await toolWorkspace(stack, "owner@owner-rules.example");
  owner = workspace.owner;
  developer = await signUp(stack, "developer@owner-rules.example");
  await addMember(stack, workspace.tenantId, developer);
  gateway = await readyGateway(stack, owner);
  token = await connectorToken(gateway, developer);
});
afterAll(() => upstream.close());

async function feed(integration = "pets"): Promise<[isError: boolean, text: string]> {
  stack.clock.advance(61_000);
  const called = { name: `${integration}___feed`, arguments: { pet: "Rex" } };
  const { message } = await ask(gateway.endpoint, token, "tools/call", called);
  return [message.result.isError ?? false, message.result.content[0].text];
}

test("an owner's rule of tools applies until the owner removes it", async () => {
  const pets = { name: "pets", target_mode: "mcp_server", endpoint: upstream.endpoint, auth };
  const id = await registerServer(stack, owner, { ...pets, tools: { owners_only: ["feed"] } });
  expect(await feed()).toEqual(onlyOwners);

  const lifted = await askControl(stack, developer, "PUT", `${path}/${id}`, { tools: { owners_only: [] } });
  expect([lifted.status, lifted.body.error.details.error_code]).toEqual([403, "role_missing"]);
  expect(await feed()).toEqual(onlyOwners);

  await registerServer(stack, developer, { ...pets, name: "second" });
  expect(await feed("second")).toEqual(onlyOwners);

  for (const one of (await askControl(stack, developer, "GET", path)).body.data)
    expect((await askControl(stack, developer, "DELETE", `${path}/${one.server_id}`)).status).toBe(202);
  await stack.queuePoller.idle();
  const again = await registerServer(stack, developer, pets);
  expect(await feed()).toEqual(onlyOwners);

  expect((await askControl(stack, owner, "PUT", `${path}/${again}`, { tools: {} })).status).toBe(202);
  expect(await feed()).toEqual([false, "Rex is fed"]);
});
