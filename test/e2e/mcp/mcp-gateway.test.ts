// A workspace's MCP gateway as its owner and an MCP client meet it: made by one call, found by its metadata, entered by a sign-in.
import {
  BedrockAgentCoreControlClient,
  UpdateGatewayCommand,
  type UpdateGatewayCommandInput,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { beforeAll, describe, expect, test } from "@jest/globals";
import * as oauth from "oauth4webapi";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { addMember, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { everything } from "../../support/accounting/accounting.ts";
import { signInConnector } from "../../support/mcp/connector.ts";
import { asAgentCore, nothing, outsideOf } from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const path = "/v1/mcp-gateway";

let stack: Stack;
let owner: Person;
let member: Person;
let stranger: Person;
let tenantId: string;

beforeAll(async () => {
  stack = await sharedStack();
  [owner, member, stranger] = await Promise.all([
    signUp(stack, "owner@mcp.example"),
    signUp(stack, "member@mcp.example"),
    signUp(stack, "stranger@mcp.example"),
  ]);
  ({ tenant_id: tenantId } = await openWorkspace(stack, owner, "Tools"));
  await addMember(stack, tenantId, member);
  await openWorkspace(stack, stranger, "Elsewhere");
});

async function call(person: Person, method: string, at = path) {
  const headers = { authorization: `Bearer ${await consoleToken(stack, person)}` };
  const response = await fetch(stack.at("api") + at, { method, headers });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

type Gateway = { endpoint: string; client_id: string; client_secret: string; public_client_id: string };

async function connect(
  { endpoint, client_id }: Pick<Gateway, "endpoint" | "client_id">,
  person: Person,
  secret?: string,
  withSecret = oauth.ClientSecretPost,
) {
  const authentication = secret === undefined ? oauth.None() : withSecret(secret);
  return (await signInConnector({ endpoint, clientId: client_id, person, authentication })).tokens;
}

const listTools = (endpoint: string, token: string) =>
  fetch(endpoint, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });

describe("an owner's first call", () => {
  let first: { status: number; body: Gateway & { state: string } };

  beforeAll(async () => {
    first = await call(owner, "POST");
  });

  test("creating the MCP gateway answers at once with all fields of a connector's form, and so does each repeat", async () => {
    expect([first.status, first.body]).toEqual([200, expect.objectContaining({ client_secret: expect.any(String) })]);
    expect(first.body.endpoint.startsWith(`${stack.mcp}/`)).toBe(true);
    const { state: _, ...kept } = first.body;
    expect((await call(owner, "POST")).body).toMatchObject(kept);
    expect((await call(member, "POST")).status).toBe(403);
  });

  test("an owner's new MCP gateway becomes ready, and reading it shows no secret", async () => {
    stack.clock.advance(60_000);
    await stack.queuePoller.idle();
    const { body } = await call(owner, "GET");
    expect(body).toMatchObject({ state: "ready", endpoint: first.body.endpoint, client_id: first.body.client_id });
    expect(body).not.toHaveProperty("client_secret");
  });

  test.each([
    ["public client", "public_client_id", undefined],
    ["client with a secret in the form", "client_id", oauth.ClientSecretPost],
    ["client with a secret in the header", "client_id", oauth.ClientSecretBasic],
  ] as const)(
    "an MCP gateway admits a member signed in by the %s for a quarter of an hour",
    async (_, id, authentication) => {
      const secret = authentication && first.body.client_secret;
      const tokens = await connect({ ...first.body, client_id: first.body[id] }, member, secret, authentication);
      expect(tokens).toMatchObject({ expires_in: 900, refresh_token: expect.any(String) });
      expect(tokens).not.toHaveProperty("id_token");
      const answer = await listTools(first.body.endpoint, tokens.access_token);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("tools")]);
    },
  );

  test("an MCP gateway answers a missing or expired token with the address of its metadata", async () => {
    const none = await listTools(first.body.endpoint, "");
    expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, expect.stringContaining(stack.mcp)]);
    const { access_token } = await connect({ ...first.body, client_id: first.body.public_client_id }, member);
    stack.clock.advance(16 * 60_000);
    const over = await listTools(first.body.endpoint, access_token);
    expect([over.status, over.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining("invalid_token"),
    ]);
  });

  test("an MCP gateway gives no token to a person who is not a member", async () => {
    const signingIn = connect({ ...first.body, client_id: first.body.public_client_id }, stranger);
    await expect(signingIn).rejects.toMatchObject({
      error: "access_denied",
      error_description: expect.stringContaining("no member of the workspace of this gateway"),
    });
  });

  test("tokens for an MCP gateway are refused by the control plane, the proxy and other gateways", async () => {
    const other = (await call(stranger, "POST")).body as Gateway;
    const { access_token } = await connect({ ...first.body, client_id: first.body.public_client_id }, owner);
    const authorization = { authorization: `Bearer ${access_token}` };
    expect((await fetch(`${stack.at("api")}/v1/me`, { headers: authorization })).status).toBe(401);
    const proxied = await fetch(`${stack.at("tools.proxy")}/vendor/v1/models`, { headers: authorization });
    expect(proxied.status).toBe(401);
    await stack.queuePoller.idle();
    expect((await listTools(other.endpoint, access_token)).status).toBe(401);
  });

  test("rotating an MCP gateway's secret interrupts no client, and the secret is in no row and no log line", async () => {
    const rotated = await call(owner, "POST", `${path}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: { client_id: first.body.client_id } });
    const { client_secret: second } = rotated.body as Gateway;
    for (const secret of [first.body.client_secret, second]) await connect(first.body, member, secret);
    expect((await call(owner, "POST", `${path}/rotate-secret`)).status).toBe(409);
    stack.clock.advance(24 * 3_600_000);
    await stack.schedules.run("agentcore");
    await stack.queuePoller.idle();
    await expect(connect(first.body, member, first.body.client_secret)).rejects.toThrow();
    await connect(first.body, member, second);
    const rows = JSON.stringify(await everything(stack));
    for (const secret of [first.body.client_secret, second]) {
      expect(rows).not.toContain(secret);
      expect(JSON.stringify(stack.logs.lines())).not.toContain(secret);
    }
  });

  test("an MCP gateway of an earlier deployment is updated by the schedule, and keeps its address", async () => {
    const own = () => stack.agentcore.list().gateways.find(({ tags }) => tags.tenant_id === tenantId);
    const made = own();
    if (!made) throw new Error("there is no gateway");
    const { name, roleArn, authorizerType, authorizerConfiguration, gatewayId: gatewayIdentifier } = made;
    const client = new BedrockAgentCoreControlClient(asAgentCore(stack));
    const ofBefore = { gatewayIdentifier, name, roleArn, authorizerType, authorizerConfiguration };
    await client.send(new UpdateGatewayCommand(ofBefore as UpdateGatewayCommandInput));
    client.destroy();
    expect(own()).not.toMatchObject({ interceptorConfigurations: expect.anything() });
    stack.clock.advance(60_000);
    await stack.schedules.run("agentcore");
    await stack.queuePoller.idle();
    const { description, interceptorConfigurations } = made;
    expect(own()).toMatchObject({ description, interceptorConfigurations, gatewayId: gatewayIdentifier });
    expect((await call(owner, "GET")).body).toMatchObject({ state: "ready", endpoint: first.body.endpoint });
  });

  test("an MCP gateway is removed with all of its resources", async () => {
    expect((await call(owner, "DELETE")).status).toBe(202);
    await stack.queuePoller.idle();
    expect((await call(owner, "GET")).status).toBe(404);
    expect(await outsideOf(stack, tenantId)).toEqual(nothing);
    expect((await call(owner, "DELETE")).status).toBe(202);
  });
});
