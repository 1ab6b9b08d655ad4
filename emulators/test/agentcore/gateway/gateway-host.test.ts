import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { AgentCore } from "../../../agentcore/agentcore.ts";
import type { Interceptor } from "../../../agentcore/gateway/gateway-input.ts";
import { gatewayHost } from "../../../agentcore/gateway/gateways.ts";
import type { TargetDefinition } from "../../../agentcore/gateway/target-input.ts";
import { Calls } from "../../../aws/calls.ts";
import { Clock } from "../../../clock.ts";
import { Iam } from "../../../iam/iam.ts";
import { Secrets } from "../../../secrets-manager/secrets.ts";
import { Store } from "../../../store.ts";
import { agentCore } from "../../support/agentcore.ts";
import { allow, aRole, resources, roleArn } from "../../support/declared-iam.ts";
import { type UpstreamServer, upstreamServer } from "../../support/upstream-server.ts";

const region = "eu-central-1";
const issuer = `https://cognito-idp.${region}.amazonaws.com/pool`;
const interceptorArn = `arn:aws:lambda:${region}:000000000000:function:interceptor`;
const key = { source: "MANAGED", jsonKey: "api_key_value" } as const;
const secretArn = `arn:aws:secretsmanager:${region}:000000000000:secret:key-AbCdEf`;

let signer: CryptoKey;
let jwk: JWK;
let store: Store;
let clock: Clock;
let calls: Calls;
let agentcore: AgentCore;
let upstream: UpstreamServer;
let server: Server;
let address: string;
let interceptor: (event: never) => unknown;
/** What the API behind OpenAPI targets was sent, and what it answers. */
let asked: { method: string; url: string; headers: Headers; body: string }[];
let apiStatus: number;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  signer = privateKey;
  jwk = { ...(await exportJWK(publicKey)), kid: "k1" };
});

beforeEach(async () => {
  store = new Store(":memory:");
  clock = new Clock();
  calls = new Calls();
  upstream = upstreamServer("echo");
  [asked, apiStatus] = [[], 200];
  interceptor = () => ({});
  const secrets = new Secrets({ store, clock });
  secrets.create(secretArn, JSON.stringify({ api_key_value: "s3cr3t" }));
  const roles = resources(
    aRole("gateway", [
      allow(["bedrock-agentcore:GetWorkloadAccessToken", "bedrock-agentcore:GetResourceApiKey"], "*"),
      allow("secretsmanager:GetSecretValue", secretArn),
      allow("lambda:InvokeFunction", interceptorArn),
    ]),
    aRole("poor", []),
  );
  agentcore = agentCore({
    store,
    clock,
    calls,
    secrets,
    iam: new Iam(roles),
    fetch: reach,
    invoke: async (_arn, event) => interceptor(event as never),
  });
  server = createServer((request, response) => {
    const [, host = "", path = "/"] = /^\/@([^/]+)(.*)$/.exec(request.url ?? "") ?? [];
    request.url = path;
    request.headers.host = host;
    agentcore.gatewayHost.handle(request, response, `${address}/@${host}`).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  store.close();
});

async function reach(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { host, pathname } = new URL(request.url);
  if (request.url.startsWith(issuer)) {
    return Response.json(
      pathname.endsWith("jwks.json") ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/.well-known/jwks.json` },
    );
  }
  if (host === "mcp.example.com") return upstream.fetch(request);
  const { method, url, headers } = request;
  asked.push({ method, url, headers, body: await request.text() });
  return Response.json({ temperature: 21 }, { status: apiStatus });
}

type GatewayOptions = {
  interceptor?: Partial<Interceptor>;
  role?: string;
  debug?: boolean;
  supportedVersions?: string[] | null;
};

/** A gateway whose states have settled, for client-1 of tenant t1. */
function aGateway({
  interceptor,
  role = "gateway",
  debug = false,
  supportedVersions = ["2025-11-25", "2026-07-28"],
}: GatewayOptions = {}) {
  const { id } = agentcore.gateways.create(
    region,
    {
      name: "acme",
      roleArn: roleArn(role),
      authorizerType: "CUSTOM_JWT",
      authorizerConfiguration: {
        customJWTAuthorizer: {
          discoveryUrl: `${issuer}/.well-known/openid-configuration`,
          allowedClients: ["client-1"],
          customClaims: [
            {
              inboundTokenClaimName: "tenant_id",
              inboundTokenClaimValueType: "STRING",
              authorizingClaimMatchValue: {
                claimMatchValue: { matchValueString: "t1" },
                claimMatchOperator: "EQUALS",
              },
            },
          ],
        },
      },
      ...(interceptor && {
        interceptorConfigurations: [
          {
            interceptor: { lambda: { arn: interceptorArn } },
            interceptionPoints: ["REQUEST"],
            inputConfiguration: { passRequestHeaders: true },
            ...interceptor,
          },
        ],
      }),
      ...(debug && { exceptionLevel: "DEBUG" }),
      ...(supportedVersions && { protocolConfiguration: { mcp: { supportedVersions } } }),
    },
    undefined,
    {},
  );
  clock.advance(1_000);
  const gateway = agentcore.gateways.get(id);
  return { gateway, url: `${address}/@${gatewayHost(gateway)}` };
}

async function addTarget(gatewayId: string, definition: TargetDefinition): Promise<void> {
  agentcore.targets.create(agentcore.gateways.get(gatewayId), definition, undefined);
  await agentcore.targets.idle();
  clock.advance(1_000);
}

const mcpTarget: TargetDefinition = {
  name: "up",
  targetConfiguration: { mcp: { mcpServer: { endpoint: "https://mcp.example.com/mcp" } } },
};

const spec = {
  openapi: "3.1.0",
  servers: [{ url: "https://api.example.com/v1" }],
  paths: {
    "/places/{place}/weather": {
      get: {
        operationId: "weather",
        summary: "The weather of a place",
        parameters: [
          { name: "place", in: "path", required: true, schema: { type: "string" } },
          { name: "days", in: "query", schema: { $ref: "#/components/schemas/Days" } },
        ],
      },
    },
    "/notes": {
      post: {
        operationId: "addNote",
        requestBody: {
          content: {
            "application/json": {
              schema: { type: "object", required: ["text"], properties: { text: { type: "string" } } },
            },
          },
        },
      },
    },
  },
  components: { schemas: { Days: { type: "integer", minimum: 1 } } },
};

function apiTarget(credential: object | undefined = undefined): TargetDefinition {
  agentcore.providers.create(region, "key", { ...key, secretArn }, {});
  const { arn } = agentcore.providers.get(region, "key");
  const apiKeyCredentialProvider = { providerArn: arn, ...credential };
  return {
    name: "api",
    targetConfiguration: { mcp: { openApiSchema: { inlinePayload: JSON.stringify(spec) } } },
    ...(credential && {
      credentialProviderConfigurations: [
        { credentialProviderType: "API_KEY", credentialProvider: { apiKeyCredentialProvider } },
      ],
    }),
  };
}

async function token(claims: object = {}, seconds = 900): Promise<string> {
  const now = Math.floor(clock.now() / 1000);
  return new SignJWT({ client_id: "client-1", tenant_id: "t1", ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "k1" })
    .setIssuer(issuer)
    .setExpirationTime(now + seconds)
    .sign(signer);
}

async function connect(url: string, mode: "legacy" | "auto" = "auto"): Promise<Client> {
  const headers = { authorization: `Bearer ${await token()}` };
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  return client;
}

async function callIn(url: string, name: string, given: Record<string, unknown> = {}) {
  const client = await connect(url);
  const result = await client.callTool({ name, arguments: given });
  await client.close();
  return result as { content: { text: string }[]; isError?: boolean };
}

const post = async (url: string, headers: Record<string, string>, body = '{"jsonrpc":"2.0","id":1,"method":"ping"}') =>
  fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body,
  });

describe("a gateway", () => {
  test.each(["legacy", "auto"] as const)(
    "an AgentCore gateway lists and calls the tools of an MCP server as target___tool (%s)",
    async (mode) => {
      const { gateway, url } = aGateway();
      await addTarget(gateway.id, mcpTarget);
      const client = await connect(url, mode);
      expect((await client.listTools()).tools).toMatchObject([{ name: "up___echo", description: "The tool echo" }]);
      expect(await client.callTool({ name: "up___echo", arguments: { say: "hi" } })).toMatchObject({
        content: [{ type: "text", text: '["echo",{"say":"hi"}]' }],
      });
      await client.close();
    },
  );

  test("an AgentCore gateway calls an operation of an OpenAPI document with the arguments in their places", async () => {
    const { gateway, url } = aGateway();
    await addTarget(gateway.id, apiTarget());
    const client = await connect(url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["api___weather", "api___addNote"]);
    expect(tools[0]?.inputSchema).toEqual({
      type: "object",
      properties: { place: { type: "string" }, days: { type: "integer", minimum: 1 } },
      required: ["place"],
    });
    const result = await client.callTool({ name: "api___weather", arguments: { place: "Bad Ems", days: 2 } });
    expect(result.content).toEqual([{ type: "text", text: '{"temperature":21}' }]);
    await client.callTool({ name: "api___addNote", arguments: { text: "hello" } });
    expect(asked).toMatchObject([
      { method: "GET", url: "https://api.example.com/v1/places/Bad%20Ems/weather?days=2" },
      { method: "POST", url: "https://api.example.com/v1/notes", body: '{"text":"hello"}' },
    ]);
    await client.close();
  });

  test.each([
    [{ credentialParameterName: "X-Key" }, "x-key", "s3cr3t"],
    [{ credentialPrefix: "Bearer" }, "authorization", "Bearer s3cr3t"],
    [{ credentialPrefix: "Bearer ", credentialLocation: "HEADER" }, "authorization", "Bearer s3cr3t"],
  ])("an AgentCore gateway adds the API key where the target's settings %j say", async (credential, header, value) => {
    const { gateway, url } = aGateway();
    await addTarget(gateway.id, apiTarget(credential));
    await callIn(url, "api___weather", { place: "Ems" });
    expect(asked[0]?.headers.get(header)).toBe(value);
  });

  test("an AgentCore gateway adds the API key to the query, also for an MCP server", async () => {
    const { gateway, url } = aGateway();
    const { credentialProviderConfigurations } = apiTarget({
      credentialParameterName: "key",
      credentialLocation: "QUERY_PARAMETER",
    });
    await addTarget(gateway.id, {
      ...mcpTarget,
      ...(credentialProviderConfigurations && { credentialProviderConfigurations }),
    });
    await callIn(url, "up___echo");
    expect(upstream.requests.every(({ url }) => url.searchParams.get("key") === "s3cr3t")).toBe(true);
  });

  test("an AgentCore gateway whose role may not read the API key tells the tool's caller so only with the level DEBUG", async () => {
    const { gateway, url } = aGateway({ role: "poor", debug: true });
    await addTarget(gateway.id, apiTarget({ credentialPrefix: "Bearer" }));
    const { content, isError } = await callIn(url, "api___weather", { place: "Ems" });
    expect(isError).toBe(true);
    expect(content[0]?.text).toMatch(/GetWorkloadAccessToken/);
    expect(asked).toEqual([]);
    expect(calls.all()).toContainEqual(expect.objectContaining({ role: "poor", allowed: false }));
  });

  test("an AgentCore gateway gives an API's failure as an error that the model can read", async () => {
    const { gateway, url } = aGateway();
    await addTarget(gateway.id, apiTarget());
    apiStatus = 404;
    const { content, isError } = await callIn(url, "api___weather", { place: "Ems" });
    expect({ isError, text: content[0]?.text }).toEqual({
      isError: true,
      text: 'OpenAPIClientException - HTTP 404: {"temperature":21}',
    });
  });

  test.each(["legacy", "auto"] as const)(
    "an AgentCore gateway lists prompts as target___prompt and resources by their own addresses, and asks the server for them (%s)",
    async (mode) => {
      const { gateway, url } = aGateway();
      await addTarget(gateway.id, mcpTarget);
      await addTarget(gateway.id, apiTarget());
      const client = await connect(url, mode);
      expect((await client.listPrompts()).prompts).toMatchObject([{ name: "up___review", description: "Reviews" }]);
      const { messages } = await client.getPrompt({ name: "up___review", arguments: { file: "a" } });
      expect(messages).toMatchObject([{ content: { text: '["review",{"file":"a"}]' } }]);
      expect((await client.listResources()).resources).toMatchObject([{ uri: "file:///a" }]);
      expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
        { uriTemplate: "file:///logs/{day}" },
      ]);
      for (const uri of ["file:///a", "file:///logs/monday"]) {
        expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, text: `what is at ${uri}` }]);
      }
      await client.close();
    },
  );

  test("an AgentCore gateway says that a prompt or a resource is unknown, and passes on the server's refusal", async () => {
    const { gateway, url } = aGateway();
    await addTarget(gateway.id, mcpTarget);
    const client = await connect(url);
    await expect(client.getPrompt({ name: "review" })).rejects.toThrow(/Unknown prompt/);
    await expect(client.readResource({ uri: "file:///b" })).rejects.toThrow(/not found/i);
    await expect(client.readResource({ uri: "file:///logs/secret" })).rejects.toThrow(/not for you/);
    upstream.refusesWith = 500;
    await expect(client.getPrompt({ name: "up___review" })).rejects.toThrow(/internal error/i);
    await client.close();
  });

  test("an AgentCore gateway asks the target of the lowest priority for a resource that several targets have", async () => {
    const { gateway, url } = aGateway();
    const withPriority = (name: string, resourcePriority: number): TargetDefinition => ({
      name,
      targetConfiguration: { mcp: { mcpServer: { endpoint: `https://mcp.example.com/${name}`, resourcePriority } } },
    });
    await addTarget(gateway.id, withPriority("late", 7));
    await addTarget(gateway.id, withPriority("early", 3));
    const client = await connect(url);
    upstream.requests.length = 0;
    await client.readResource({ uri: "file:///a" });
    expect(new Set(upstream.requests.map(({ url }) => url.pathname))).toEqual(new Set(["/early"]));
    await client.close();
  });

  const listingIn = async (url: string, version: string) => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list", params: { _meta: meta } });
    const authorization = `Bearer ${await token()}`;
    const response = await post(
      url,
      { authorization, "mcp-protocol-version": version, "mcp-method": "tools/list" },
      body,
    );
    return [response.status, await response.json()];
  };
  const refusal = (requested: string, supported: string[]) => [
    400,
    { id: 7, error: { code: -32_022, data: { requested, supported } } },
  ];

  test.each([
    [null, ["2025-11-25", "2025-03-26"]],
    [["2025-06-18"], ["2025-06-18"]],
  ])(
    "an AgentCore gateway limited to the protocol versions %j refuses the newest version, and serves a client that speaks others",
    async (supportedVersions, supported) => {
      const { gateway, url } = aGateway({ supportedVersions });
      await addTarget(gateway.id, mcpTarget);
      expect(await listingIn(url, "2026-07-28")).toMatchObject(refusal("2026-07-28", supported));
      const client = await connect(url);
      expect(supported).toContain(client.getNegotiatedProtocolVersion());
      expect((await client.listTools()).tools).toHaveLength(1);
      await client.close();
    },
  );

  test("an AgentCore gateway answers an unsupported protocol version with the versions that its discovery lists", async () => {
    const { url } = aGateway();
    expect(await listingIn(url, "2999-01-01")).toMatchObject(refusal("2999-01-01", ["2026-07-28"]));
  });

  test("an AgentCore gateway refuses a tool that no target has", async () => {
    const { url } = aGateway();
    await expect(callIn(url, "up___nothing")).rejects.toThrow(/Unknown tool/);
  });
});

describe("the authorizer", () => {
  test("a gateway answers a request without a token with 401 and the address of the document that names the issuer", async () => {
    const { url } = aGateway();
    const refused = await post(url, {});
    expect(refused.status).toBe(401);
    const metadata = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "")?.[1] ?? "";
    expect(await (await fetch(metadata)).json()).toEqual({ resource: `${url}/mcp`, authorization_servers: [issuer] });
  });

  test.each([
    ["expired", {}, -1, 401],
    ["of another client", { client_id: "client-2" }, 900, 403],
    ["of another tenant", { tenant_id: "t2" }, 900, 403],
    ["of no tenant", { tenant_id: undefined }, 900, 403],
  ])("a gateway's authorizer refuses a token that is %s", async (_, claims, seconds, status) => {
    const { url } = aGateway();
    const bearer = await token(claims, seconds);
    expect((await post(url, { authorization: `Bearer ${bearer}` })).status).toBe(status);
  });

  test("a gateway's authorizer refuses a token that another key has signed", async () => {
    const { url } = aGateway();
    const [header, payload] = (await token()).split(".");
    expect((await post(url, { authorization: `Bearer ${header}.${payload}.AAAA` })).status).toBe(401);
  });
});

describe("a rate limit", () => {
  const limit = (dimensions: Record<string, string>, rate: number) => ({
    rateLimitId: "limit",
    dimensionKeys: Object.keys(dimensions),
    entries: [{ dimensions, requests: [{ rate, period: "minute" }] }],
    createdAt: 0,
    updatedAt: 0,
  });

  test("a gateway's rate limit for the value of a claim counts the calls of one minute", async () => {
    const { gateway, url } = aGateway();
    agentcore.gateways.save({ ...gateway, rateLimits: [limit({ "$.context.jwt.tenant_id": "t1" }, 2)] });
    const statuses = async () => {
      const authorization = `Bearer ${await token()}`;
      const answers = [
        await post(url, { authorization }),
        await post(url, { authorization }),
        await post(url, { authorization }),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 200, 429]);
    clock.advance(60_000);
    expect(await statuses()).toEqual([200, 200, 429]);
  });

  test("a gateway's rate limit for a target's tools does not count other messages, and a limit of 0 blocks all calls", async () => {
    const { gateway, url } = aGateway();
    await addTarget(gateway.id, mcpTarget);
    agentcore.gateways.save({ ...agentcore.gateways.get(gateway.id), rateLimits: [limit({ targetName: "u*" }, 0)] });
    const client = await connect(url);
    expect((await client.listTools()).tools).toHaveLength(1);
    await expect(client.callTool({ name: "up___echo", arguments: {} })).rejects.toThrow(/429|Rate limit/);
    await client.close();
  });
});

describe("an interceptor", () => {
  const passes = ({ mcp }: { mcp: { gatewayRequest: { body: unknown } } }) => ({
    interceptorOutputVersion: "1.0",
    mcp: { transformedGatewayRequest: { body: mcp.gatewayRequest.body } },
  });

  test("a gateway's request interceptor gets every message with its headers, and can let it pass", async () => {
    const events: { mcp: { gatewayRequest: { headers: Record<string, string>; body: { method: string } } } }[] = [];
    interceptor = (event: never) => {
      events.push(event);
      return passes(event);
    };
    const { gateway, url } = aGateway({ interceptor: {} });
    await addTarget(gateway.id, mcpTarget);
    expect((await callIn(url, "up___echo")).content[0]?.text).toBe('["echo",{}]');
    expect(events.map(({ mcp }) => mcp.gatewayRequest.body.method)).toContain("tools/call");
    expect(events[0]).toMatchObject({
      interceptorInputVersion: "1.0",
      mcp: {
        rawGatewayRequest: { body: expect.any(String) },
        gatewayRequest: { path: "/mcp", httpMethod: "POST", context: null },
        gatewayResponse: null,
      },
    });
    expect(events[0]?.mcp.gatewayRequest.headers.Authorization).toMatch(/^Bearer /);
  });

  test("a gateway's request interceptor denies a message by returning a response, even together with a request", async () => {
    interceptor = (event: never) => {
      const { body } = (event as { mcp: { gatewayRequest: { body: { id: number; method: string } } } }).mcp
        .gatewayRequest;
      if (body.method !== "tools/call") return passes(event);
      // A result of the newer era says that it is one.
      const result = {
        resultType: "complete",
        content: [{ type: "text", text: "The workspace is suspended." }],
        isError: true,
      };
      return {
        interceptorOutputVersion: "1.0",
        mcp: {
          transformedGatewayRequest: { body },
          transformedGatewayResponse: { statusCode: 200, body: { jsonrpc: "2.0", id: body.id, result } },
        },
      };
    };
    const { gateway, url } = aGateway({ interceptor: {} });
    await addTarget(gateway.id, mcpTarget);
    expect(await callIn(url, "up___echo")).toMatchObject({ isError: true, content: [{ text: /suspended/ }] });
  });

  test("a gateway's response interceptor can change responses", async () => {
    interceptor = (event: never) => {
      const { gatewayResponse } = (event as { mcp: { gatewayResponse: { body: { result: object } } } }).mcp;
      const { result } = gatewayResponse.body;
      const body = { ...gatewayResponse.body, result: { ...result, seen: true } };
      return { interceptorOutputVersion: "1.0", mcp: { transformedGatewayResponse: { statusCode: 200, body } } };
    };
    const { url } = aGateway({ interceptor: { interceptionPoints: ["RESPONSE"] } });
    const answer = await post(url, { authorization: `Bearer ${await token()}` });
    expect(await answer.json()).toMatchObject({ id: 1, result: { seen: true } });
  });

  test.each([
    ["answers in another shape", {}, "gateway", /invalid response from interceptor/],
    ["may not be invoked", passes, "poor", /lambda:InvokeFunction/],
  ])("a gateway's interceptor that %s makes the call fail", async (_, answer, role, reason) => {
    interceptor = typeof answer === "function" ? (answer as never) : () => answer;
    const { url } = aGateway({ interceptor: {}, role, debug: true });
    const refused = await post(url, { authorization: `Bearer ${await token()}` });
    expect(await refused.json()).toMatchObject({ id: 1, error: { message: expect.stringMatching(reason) } });
  });
});
