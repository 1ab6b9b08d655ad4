// An MCP client that knows a gateway's address and nothing else, through the whole local stack: discovery, sign-in, tools, refresh, and the end.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oauth from "oauth4webapi";
import { Browser } from "../../../local/demo/sign-in.ts";
import { addMember, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { everything } from "../../support/accounting/accounting.ts";
import { authorizationRequest, discover, registeredClient, signInConnector } from "../../support/mcp/connector.ts";
import { SdkClient } from "../../support/mcp/sdk-client.ts";
import { type ServedUpstream, serveUpstream } from "../../support/mcp/served-upstream.ts";
import {
  askControl,
  type Gateway,
  readyGateway,
  registerServer,
  toolWorkspace,
} from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const document = "https://app.alone.example/oauth/client.json";

let stack: Stack;
let upstream: ServedUpstream;
let publisher: Server;
let tenantId: string;
let owner: Person;
let member: Person;
let gateway: Gateway;
let elsewhere: Gateway;

beforeAll(async () => {
  stack = await sharedStack();
  upstream = await serveUpstream(stack);
  ({ owner, tenantId } = await toolWorkspace(stack, "owner@alone.example"));
  member = await signUp(stack, "member@alone.example");
  await addMember(stack, tenantId, member);
  gateway = await readyGateway(stack, owner);
  elsewhere = await readyGateway(stack, (await toolWorkspace(stack, "owner@elsewhere-alone.example")).owner);
  upstream.good.add("a-secret");
  const auth = { kind: "bearer", secret: "a-secret" };
  const body = { name: "pets", target_mode: "mcp_server", endpoint: upstream.endpoint, auth };
  await registerServer(stack, owner, body);
  publisher = createServer((_, response) => {
    const redirect_uris = ["http://localhost/oauth/callback"];
    response.end(JSON.stringify({ client_id: document, client_name: "Alone", redirect_uris }));
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => publisher.once("listening", listening));
  const { port } = publisher.address() as AddressInfo;
  const served = { addresses: ["93.184.215.14"], server: `http://127.0.0.1:${port}` };
  stack.hosts.put({ ...stack.hosts.list(), "app.alone.example": served });
});
afterAll(async () => {
  await upstream.close();
  publisher.close();
});

const refresh = (refresh_token: string, client_id: string, more: Record<string, string> = {}) =>
  fetch(`${stack.mcp}/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id, ...more }),
  });

describe("MCP's own SDK, with the address alone", () => {
  test.each([
    ["by registration", undefined],
    ["by its metadata document", document],
  ])(
    "a client of MCP's SDK signs in %s and calls a tool, also after its access token is over",
    async (_, clientMetadataUrl) => {
      const application = new SdkClient(gateway.endpoint, clientMetadataUrl === undefined ? {} : { clientMetadataUrl });
      const client = await application.connect(member);
      expect(application.stored.information?.client_id === document).toBe(clientMetadataUrl !== undefined);
      const called = { name: "pets___feed", arguments: { pet: "Rex" } };
      expect(await client.callTool(called)).not.toMatchObject({ isError: true });
      const { access_token: before } = application.stored.tokens ?? {};
      stack.clock.advance(16 * 60_000);
      expect(await client.callTool(called)).not.toMatchObject({ isError: true });
      expect(application.stored.tokens?.access_token).not.toBe(before);
      await client.close();
    },
  );

  test("a person who is no member is told so in words by the SDK", async () => {
    const stranger = await signUp(stack, "stranger@alone.example");
    await expect(new SdkClient(gateway.endpoint).connect(stranger)).rejects.toThrow(/no member of the workspace/);
  });
});

describe("a sign-in through the stack", () => {
  test("nothing of a sign-in is stored until a refresh token is replaced, and then no token", async () => {
    const returnTo = "http://localhost:3334/callback";
    const clientId = await registeredClient(gateway.endpoint, [returnTo]);
    const families = async () =>
      (await everything(stack)).filter(({ pk }) => String(pk) === `REFRESHFAMILY#${tenantId}`);
    const before = (await families()).length;
    const { tokens } = await signInConnector({
      endpoint: gateway.endpoint,
      clientId,
      person: member,
      returnTo,
    });
    expect(await families()).toHaveLength(before);
    stack.clock.advance(3_600_000);
    const answer = await refresh(tokens.refresh_token ?? "", clientId);
    const { refresh_token: next } = (await answer.json()) as { refresh_token: string };
    expect(await families()).toHaveLength(before + 1);
    const rows = JSON.stringify(await everything(stack));
    for (const text of [clientId, tokens.refresh_token ?? "", next]) expect(rows).not.toContain(text);
    expect((await refresh(next, gateway.public_client_id)).status).toBe(400);
    expect((await refresh(next, clientId, { resource: elsewhere.endpoint })).status).toBe(400);
  });

  test("eight sessions that share one refresh token all go on over a day, and leave one row", async () => {
    const { tokens } = await signInConnector({
      endpoint: gateway.endpoint,
      clientId: gateway.public_client_id,
      person: member,
    });
    const copies = Array<string>(8).fill(tokens.refresh_token ?? "");
    for (let hour = 0; hour < 24; hour += 3) {
      stack.clock.advance(3 * 3_600_000);
      const answers = await Promise.all(copies.map((copy) => refresh(copy, gateway.public_client_id)));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      for (const [place, answer] of answers.entries()) {
        copies[place] = ((await answer.json()) as { refresh_token: string }).refresh_token;
      }
    }
  });

  test("an old copy of a refresh token is refused alone, and is on the workspace's audit trail", async () => {
    const { tokens } = await signInConnector({
      endpoint: gateway.endpoint,
      clientId: gateway.public_client_id,
      person: member,
    });
    const first = tokens.refresh_token ?? "";
    let newest = first;
    for (let hour = 0; hour < 2; hour++) {
      stack.clock.advance(3_600_000);
      newest = ((await (await refresh(newest, gateway.public_client_id)).json()) as { refresh_token: string })
        .refresh_token;
    }
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await refresh(first, gateway.public_client_id)).status).toBe(400);
    expect((await refresh(newest, gateway.public_client_id)).status).toBe(200);
    const { body } = await askControl(stack, owner, "GET", "/v1/audit?action=connector.stale_token");
    expect(body.data).toEqual([expect.objectContaining({ actor: member.sub, target: member.sub })]);
  });

  test("a revoked refresh token gives no further token", async () => {
    const signedIn = await signInConnector({
      endpoint: gateway.endpoint,
      clientId: gateway.public_client_id,
      person: member,
    });
    const { refresh_token: token = "" } = signedIn.tokens;
    const form = new URLSearchParams({ token, client_id: gateway.public_client_id });
    expect((await fetch(String(signedIn.server.revocation_endpoint), { method: "POST", body: form })).status).toBe(200);
    const answer = await refresh(token, gateway.public_client_id);
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error: "invalid_grant" })]);
  });

  test("the gateway's id with its secret serves any port of the person's machine", async () => {
    const authentication = oauth.ClientSecretBasic(gateway.client_secret);
    const returnTo = "http://127.0.0.1:50505/callback/p5X8kLCxwH9j";
    const { tokens } = await signInConnector({
      endpoint: gateway.endpoint,
      clientId: gateway.client_id,
      person: member,
      returnTo,
      authentication,
    });
    expect(tokens.refresh_token).toEqual(expect.any(String));
  });

  test("the gateway's id serves an address that the owner has named, and no other one", async () => {
    const returnTo = "https://chat.alone.example/mcp/callback";
    const signingIn = () =>
      signInConnector({ endpoint: gateway.endpoint, clientId: gateway.public_client_id, person: member, returnTo });
    await expect(signingIn()).rejects.toThrow();
    const named = await askControl(stack, owner, "PATCH", "/v1/mcp-gateway", { redirect_uris: [returnTo] });
    expect(named).toMatchObject({ status: 200, body: { redirect_uris: [returnTo] } });
    expect((await signingIn()).tokens.access_token).toEqual(expect.any(String));
  });

  test("a link to the consent of another browser binds nothing", async () => {
    const { authorization_endpoint } = await discover(gateway.endpoint);
    const { query } = await authorizationRequest(gateway.public_client_id, gateway.endpoint);
    const page = await new Browser().open(`${authorization_endpoint}?${query}`, "http://localhost:8420");
    const answer = await new Browser().submit(page, { decision: "allow" }, "http://localhost:8420");
    expect(answer.html).toContain("another browser");
  });

  test("one caller's form of 300 KB costs the next caller nothing", async () => {
    const { tokens } = await signInConnector({
      endpoint: gateway.endpoint,
      clientId: gateway.public_client_id,
      person: member,
    });
    const { refresh_token: token = "" } = tokens;
    for (let call = 0; call < 3; call++) {
      expect((await refresh("x".repeat(300_000), gateway.public_client_id)).status).toBe(413);
      expect((await refresh(token, gateway.public_client_id)).status).toBe(200);
    }
  });

  test("a page of another origin may read a tool's answer", async () => {
    const { tokens } = await signInConnector({
      endpoint: gateway.endpoint,
      clientId: gateway.public_client_id,
      person: member,
    });
    const headers = {
      authorization: `Bearer ${tokens.access_token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      origin: "https://page.example",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
    const answer = await fetch(gateway.endpoint, { method: "POST", headers, body });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  });

  test("a member who was removed is refused at the next refresh, in words", async () => {
    const leaver = await signUp(stack, "leaver@alone.example");
    await addMember(stack, tenantId, leaver);
    const { tokens } = await signInConnector({
      endpoint: gateway.endpoint,
      clientId: gateway.public_client_id,
      person: leaver,
    });
    expect((await askControl(stack, owner, "DELETE", `/v1/users/${leaver.sub}`)).status).toBeLessThan(300);
    const answer = await refresh(tokens.refresh_token ?? "", gateway.public_client_id);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: "access_denied", error_description: expect.stringContaining("ask its owner") },
    ]);
  });
});
