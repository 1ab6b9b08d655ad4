import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { mcpServerRecord } from "../../../../adapters/dynamodb/integrations/mcp-server.record.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import { Refusal } from "../../../../domain/kernel/refusal.ts";
import type { ToolCallSearch } from "../../../../domain/tools/tool-call-search.ts";
import { moved } from "../../../../domain/upstream/moved-credential.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { tableName } from "../../../support/dynamodb/stores.ts";
import { aRegisteredSpec } from "../../../support/mcp/registered-spec.ts";

type Person = Claims & { tenant_id: string };
const path = "/v1/mcp-servers";
const secret = "s3cret-value";
const pets = {
  name: "pets",
  target_mode: "mcp_server",
  endpoint: "https://mcp.example.com/mcp",
  auth: { kind: "bearer", secret },
};

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Person;
let developer: Person;
let workspaces = 0;
const examine = jest.fn<(tenantId: string, candidate: object) => Promise<object>>();
const verify = jest.fn<() => Promise<object>>();
const applied = jest.fn<(server: object, material: object) => Promise<void>>();
const search = jest.fn<(search: ToolCallSearch) => Promise<object[]>>();
const tools = [{ name: "list_pets", digest: "1" }];

beforeAll(async () => {
  plane = await openControlPlane(({ probe, serverWork, toolCalls }) => ({
    probe: { ...probe, examine, verify } as typeof probe,
    serverWork: { ...serverWork, applyServer: applied },
    toolCalls: { ...toolCalls, search } as typeof toolCalls,
  }));
});
afterAll(() => plane.close());
beforeEach(async () => {
  examine.mockReset().mockResolvedValue({ tools });
  verify.mockReset().mockResolvedValue({ tools });
  applied.mockReset().mockResolvedValue();
  search.mockReset().mockResolvedValue([]);
  owner = await plane.workspace(`Pets ${workspaces++}`);
  developer = await plane.developer(owner.tenant_id);
  await plane.call("POST", "/v1/mcp-gateway", { as: owner });
});

const call = (method: string, at = "", body?: unknown, headers: Record<string, string> = {}, as = developer) =>
  plane.call(method, `${path}${at}`, { as, headers, ...(body !== undefined && { body }) });
const register = (change: object = {}, headers = {}) => call("POST", "", { ...pets, ...change }, headers);
const problemOf = ({ status, body }: { status: number; body: { error?: { message: string } } }) =>
  `${status} ${body.error?.message}`;

describe("a registration", () => {
  test("registering an integration answers 202 with its state and its address, and shows no secret", async () => {
    const { status, body, headers } = await register();
    expect(status).toBe(202);
    expect(headers.location).toBe(`${path}/${body.server_id}`);
    expect(body).toEqual({
      server_id: expect.stringMatching(/^srv_[0-9a-f]{32}$/),
      tenant_id: owner.tenant_id,
      name: "pets",
      target_mode: "mcp_server",
      endpoint: pets.endpoint,
      auth: { kind: "bearer" },
      state: "creating",
      secret_set_at: expect.any(String),
      created_at: expect.any(String),
      created_by: developer.sub,
      updated_at: expect.any(String),
      version: 1,
      tools: { all: ["list_pets"], owners_only: [] },
      tool_warnings: [],
    });
    expect(applied.mock.calls).toEqual([
      [expect.objectContaining({ server_id: body.server_id }), { version: 1, secret }],
    ]);
    expect(
      JSON.stringify(
        await rowsOf(plane.document, tableName).all({ pk: mcpServerRecord.range({ tenant_id: owner.tenant_id }).pk }),
      ),
    ).not.toContain(secret);
    expect((await call("GET", `/${body.server_id}`)).body).toEqual(body);
    expect((await call("GET")).body).toEqual({ data: [body] });
  });

  test("registering an integration examines it with the credential before anything is stored", async () => {
    examine.mockRejectedValueOnce(new Refusal("invalid_request", "auth: refused (credential_refused)"));
    expect(problemOf(await register())).toContain("400 auth: refused");
    expect((await call("GET")).body.data).toEqual([]);
    expect(applied).not.toHaveBeenCalled();
    expect(examine.mock.calls[0]).toEqual([
      owner.tenant_id,
      { target_mode: "mcp_server", endpoint: pets.endpoint, auth: { kind: "bearer" }, secret },
    ]);
  });

  test("registering an integration warns of tool names that are too long for clients", async () => {
    examine.mockResolvedValueOnce({ tools: [{ name: "a".repeat(60), digest: "1" }] });
    expect((await register()).body.tool_warnings).toEqual([
      { tool: "a".repeat(60), message: expect.stringContaining("has 81 characters") },
    ]);
  });

  test("registering an integration again with the same Idempotency-Key gives the same integration, also after a failure", async () => {
    applied.mockRejectedValueOnce(new Refusal("gateway_unavailable", "no answer"));
    const key = { "idempotency-key": "k1" };
    expect((await register({}, key)).status).toBe(503);
    const again = await register({}, key);
    expect(again.status).toBe(202);
    expect((await register({}, key)).body).toEqual(again.body);
    expect((await call("GET")).body.data).toHaveLength(1);
  });

  test("registering an integration with a taken name answers 409", async () => {
    await register();
    expect(problemOf(await register())).toContain("409 name: an integration named pets is there already");
  });

  test("registering an integration requires the gateway", async () => {
    await plane.call("DELETE", "/v1/mcp-gateway", { as: owner });
    expect(problemOf(await register())).toContain("409 The workspace has no MCP gateway");
  });

  test("registering an API accepts a document, or the tenant's own upload, and stores what was checked", async () => {
    examine.mockResolvedValue({ tools, spec: aRegisteredSpec() });
    const api = { name: "api", target_mode: "openapi" };
    expect((await call("POST", "", { ...api, spec: { openapi: "3.0.0" } })).status).toBe(202);
    expect(applied.mock.calls[0]?.[1]).toEqual({ version: 1, spec: aRegisteredSpec() });
    const { body } = await plane.call("POST", "/v1/mcp-specs", { as: developer, body: { bytes: 100 } });
    expect((await call("POST", "", { ...api, name: "api-2", spec_uri: body.spec_uri })).status).toBe(202);
    expect(examine.mock.calls[1]?.[1]).toMatchObject({ target_mode: "openapi", upload: expect.any(String) });
  });

  const apiKey = { kind: "api_key", secret, name: "x-key" };
  test.each([
    ["a name with capitals", { name: "Pets" }, "name: must be lower-case"],
    ["a long name", { name: "a".repeat(25) }, "name: must have at most 24"],
    ["another mode", { target_mode: "lambda" }, "target_mode: must be one of openapi, mcp_server"],
    ["no endpoint", { endpoint: undefined }, "endpoint: is required"],
    ["an endpoint without TLS", { endpoint: "http://mcp.example.com" }, "endpoint: must begin with https://"],
    ["loopback", { endpoint: "https://127.0.0.1/" }, "endpoint: must lead to a public address"],
    ["a document beside an endpoint", { spec: {} }, "spec: is for target_mode openapi"],
    ["no secret", { auth: { kind: "bearer" } }, "auth.secret: is required"],
    ["a secret of two lines", { auth: { kind: "bearer", secret: "a\nb" } }, "auth.secret: must be printable ASCII"],
    ["another kind", { auth: { kind: "oauth" } }, "must be one of none, bearer, api_key"],
    ["a header of the gateway's own", { auth: { ...apiKey, name: "Mcp-Session-Id" } }, "auth.name: is a header"],
    ["a prefix in the query", { auth: { ...apiKey, location: "query", prefix: "x" } }, "auth.prefix: is for headers"],
    ["an unknown field", { provider: 1 }, "provider: unknown field"],
    [
      "both a document and its URI",
      { target_mode: "openapi", endpoint: undefined, spec: "openapi: 3.0.0", spec_uri: "b" },
      "spec: give",
    ],
    [
      "another workspace's upload",
      { target_mode: "openapi", endpoint: undefined, spec_uri: "s3://specs/uploads/t2/1" },
      "spec_uri: must be a spec_uri that POST /v1/mcp-specs gave this workspace",
    ],
  ])("registering an integration is refused with %s", async (_, change, message) => {
    const answer = await register(change);
    expect(problemOf(answer)).toContain(`400`);
    expect(problemOf(answer)).toContain(message);
    expect(problemOf(answer)).not.toContain(secret);
  });
});

describe("a change", () => {
  test("changing an integration gives the next version, with a credential of its own", async () => {
    const { server_id } = (await register()).body;
    const { status, body } = await call("PUT", `/${server_id}`, { auth: { kind: "bearer", secret: "next" } });
    expect(status).toBe(202);
    expect(body).toMatchObject({ version: 2, name: "pets", endpoint: pets.endpoint });
    expect(applied.mock.calls[1]).toEqual([
      expect.objectContaining({ secret_version: 2, provider_versions: [1, 2] }),
      { version: 2, secret: "next" },
    ]);
  });

  test("changing an integration without a secret keeps the stored secret, and examines it", async () => {
    const { server_id } = (await register()).body;
    await call("PUT", `/${server_id}`, { auth: { kind: "bearer" } });
    expect(applied.mock.calls[1]?.[0]).toMatchObject({ secret_version: 1, provider_versions: [1] });
    expect(examine.mock.calls[1]?.[1]).toMatchObject({ server_id });
    expect(examine.mock.calls[1]?.[1]).not.toHaveProperty("secret");
  });

  test.each([{}, { auth: { kind: "bearer" } }])(
    "changing an integration's host requires the credential: with %j it is 409 and changes nothing",
    async (auth) => {
      const { server_id } = (await register()).body;
      const endpoint = "https://new.example.com/mcp";
      examine.mockRejectedValueOnce(moved("auth.secret", "endpoint leads to another address"));
      const refused = await call("PUT", `/${server_id}`, { endpoint, ...auth });
      expect(problemOf(refused)).toBe("409 auth.secret: send it again, because endpoint leads to another address");
      expect((await call("GET", `/${server_id}`)).body).toMatchObject({ version: 1, endpoint: pets.endpoint });
      const given = { endpoint, auth: { kind: "bearer", secret: "next" } };
      expect((await call("PUT", `/${server_id}`, given)).status).toBe(202);
    },
  );

  test("changing an integration refuses fields of the other mode by name", async () => {
    const { server_id } = (await register()).body;
    const spec = { openapi: "3.0.0" };
    expect(problemOf(await call("PUT", `/${server_id}`, { spec }))).toContain("400 spec: is for target_mode openapi");
    examine.mockResolvedValueOnce({ tools, spec: aRegisteredSpec() });
    const api = (await call("POST", "", { name: "api", target_mode: "openapi", spec })).body;
    const moved = await call("PUT", `/${api.server_id}`, { endpoint: pets.endpoint });
    expect(problemOf(moved)).toContain("400 endpoint: is for target_mode mcp_server");
  });

  test("changing an integration whose credential the upstream refuses changes nothing", async () => {
    const { server_id } = (await register()).body;
    examine.mockRejectedValueOnce(new Refusal("invalid_request", "auth: no"));
    expect((await call("PUT", `/${server_id}`, { auth: { kind: "bearer", secret: "bad" } })).status).toBe(400);
    expect((await call("GET", `/${server_id}`)).body.version).toBe(1);
  });

  test("changing an earlier version of an integration is 412, and name and mode cannot be changed", async () => {
    const { server_id } = (await register()).body;
    const old = await call("PUT", `/${server_id}`, { auth: { kind: "none" } }, { "if-match": '"7"' });
    expect(old.status).toBe(412);
    expect(problemOf(await call("PUT", `/${server_id}`, { name: "cats", auth: { kind: "none" } }))).toContain(
      "name: unknown field",
    );
  });

  test("changing an integration to use no credential removes the credential provider", async () => {
    const { server_id } = (await register()).body;
    await call("PUT", `/${server_id}`, { auth: { kind: "none" } });
    const [next] = applied.mock.calls[1] ?? [];
    expect(next).toMatchObject({ provider_versions: [1] });
    expect(next).not.toHaveProperty("secret_version");
  });
});

describe("a removal", () => {
  test("removing an integration is 202, and the name is free afterwards", async () => {
    const { server_id } = (await register()).body;
    expect((await call("DELETE", `/${server_id}`)).status).toBe(202);
    expect((await call("GET", `/${server_id}`)).status).toBe(404);
    expect((await register()).status).toBe(202);
  });

  test("removing an integration again is 202, except on an old version; an integration that never existed is 404", async () => {
    const { server_id } = (await register()).body;
    for (let time = 1; time <= 3; time++) expect((await call("DELETE", `/${server_id}`)).status).toBe(202);
    const ifMatch = { as: owner, headers: { "if-match": '"1"' } };
    expect((await plane.call("DELETE", `${path}/${server_id}`, ifMatch)).status).toBe(412);
    expect((await call("DELETE", "/srv_000000000000")).status).toBe(404);
    const other = await plane.workspace("Others");
    expect((await plane.call("DELETE", `${path}/${server_id}`, { as: other })).status).toBe(404);
  });
});

describe("verifying", () => {
  test("verifying an integration reports its tools and their changes, and the gateway lists them again until it has taken them", async () => {
    const { server_id } = (await register()).body;
    const found = [
      { name: "list_pets", digest: "2" },
      { name: "feed", digest: "1" },
    ];
    verify.mockResolvedValueOnce({ tools: found });
    const { status, body } = await call("POST", `/${server_id}/verify`);
    expect(status).toBe(200);
    expect(body).toEqual({
      verified: true,
      tool_count: 2,
      verified_at: expect.any(String),
      tools: ["list_pets", "feed"],
      changed: { added: ["feed"], removed: [], altered: ["list_pets"] },
      tool_warnings: [],
    });
    expect(applied).toHaveBeenCalledTimes(2);
    expect((await call("GET", `/${server_id}`)).body).toMatchObject({
      tools: { all: ["list_pets", "feed"] },
      verification: { tool_count: 2 },
    });
    verify.mockResolvedValueOnce({ tools: found });
    expect((await call("POST", `/${server_id}/verify`)).body.changed).toEqual({ added: [], removed: [], altered: [] });
    expect(applied).toHaveBeenCalledTimes(3);
  });

  test("verifying an integration says why it failed, and keeps the previously known tools", async () => {
    const { server_id } = (await register()).body;
    verify.mockResolvedValueOnce({ reason: "credential_refused", message: "The server refuses the credential" });
    expect((await call("POST", `/${server_id}/verify`)).body).toMatchObject({
      verified: false,
      tool_count: 0,
      reason: "credential_refused",
      message: "The server refuses the credential",
    });
    expect((await call("POST", `/${server_id}/verify`)).body.changed).toEqual({ added: [], removed: [], altered: [] });
  });

  test("a failed verification is forgotten when a PUT replaces the credential, and kept after other changes", async () => {
    const { server_id } = (await register()).body;
    verify.mockResolvedValueOnce({ reason: "credential_refused", message: "The server refuses the credential" });
    await call("POST", `/${server_id}/verify`);
    await call("PUT", `/${server_id}`, { tools: { offered: ["list_pets"] } });
    expect((await call("GET", `/${server_id}`)).body).toMatchObject({ verification: { reason: "credential_refused" } });
    await call("PUT", `/${server_id}`, { auth: { kind: "bearer", secret: "next" } });
    expect((await call("GET", `/${server_id}`)).body).not.toHaveProperty("verification");
  });

  test("verifying an integration requires the gateway, and an integration of the workspace", async () => {
    const { server_id } = (await register()).body;
    const stranger = await plane.workspace(`Elsewhere ${workspaces++}`);
    expect((await call("POST", `/${server_id}/verify`, undefined, {}, stranger)).status).toBe(404);
    await plane.call("DELETE", "/v1/mcp-gateway", { as: owner });
    expect((await call("POST", `/${server_id}/verify`)).status).toBe(409);
  });
});

describe("the log", () => {
  const line = {
    at: "2026-11-23T10:00:00.000Z",
    caller_id: "ann",
    tool: "list_pets",
    arguments: ["a"],
    outcome: "ok",
    ms: 5,
  };
  const logs = (server_id: string, query: Record<string, string> = {}) =>
    plane.call("GET", `${path}/${server_id}/logs`, { as: developer, query });

  test("an integration's log of calls is searched for the workspace and the integration, by default for an hour, and by pages", async () => {
    const { server_id, created_at } = (await register()).body;
    search.mockResolvedValueOnce([line, line, line]);
    const { body } = await logs(server_id, { limit: "2", tool: "list_pets" });
    expect(body.data).toEqual([line, line]);
    const [asked] = search.mock.calls[0] ?? [];
    expect(asked).toMatchObject({ tenantId: owner.tenant_id, target: "pets", tool: "list_pets", limit: 3 });
    expect(asked?.from).toBe(Date.parse(created_at));
    search.mockResolvedValueOnce([line, line, { ...line, tool: "last" }]);
    const next = await logs(server_id, { limit: "2", tool: "list_pets", cursor: body.next_cursor });
    expect(next.body).toEqual({ data: [{ ...line, tool: "last" }] });
    expect(search.mock.calls[1]?.[0]).toMatchObject({ limit: 5, to: asked?.to });
  });

  test.each([
    [{ tool: 'x" or tenant_id = "t2' }, "tool: must be"],
    [{ caller_id: "x | limit 1" }, "caller_id: must be"],
    [{ outcome: "bad" }, "outcome: must be one of"],
    [{ from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:01Z" }, "from: must be at most 24 hours"],
    [{ from: "2026-01-03T00:00:00Z", to: "2026-01-02T00:00:00Z" }, "from: must be before to"],
    [{ from: "yesterday" }, "from: must be a time"],
    [{ filter: "x" }, "filter: unknown field"],
  ] as [Record<string, string>, string][])(
    "an integration's log of calls refuses the search %j",
    async (query, message) => {
      const { server_id } = (await register()).body;
      expect(problemOf(await logs(server_id, query))).toContain(message);
      expect(search).not.toHaveBeenCalled();
    },
  );

  test("a log of a time before the integration is empty", async () => {
    const { server_id } = (await register()).body;
    expect((await logs(server_id, { to: "2026-01-01T00:00:00Z" })).body).toEqual({ data: [] });
    expect(search).not.toHaveBeenCalled();
  });

  test("the log of another workspace's integration answers 404", async () => {
    const { server_id } = (await register()).body;
    const stranger = await plane.workspace(`Elsewhere ${workspaces++}`);
    expect((await call("GET", `/${server_id}/logs`, undefined, {}, stranger)).status).toBe(404);
  });
});

test("the address for an upload has an expiry, and a document that is too large gets no address", async () => {
  const upload = (bytes: unknown) => plane.call("POST", "/v1/mcp-specs", { as: developer, body: { bytes } });
  expect((await upload(100)).body).toEqual({
    upload_url: expect.stringContaining("https://specs.example.com/"),
    spec_uri: expect.stringContaining(`s3://specs/uploads/${owner.tenant_id}/`),
    expires_at: expect.any(String),
  });
  expect(problemOf(await upload(20_971_521))).toContain("400 bytes: must be 1 to 20971520");
});

describe("an integration of the marketplace", () => {
  const tavily = { provider_id: "tavily", secret };
  const ofProvider = (change: object = {}) => call("POST", "", { ...tavily, ...change });

  test("an integration from the marketplace is registered by provider and credential; its settings are stored but not shown", async () => {
    const entries = [{ name: "DEFAULT_PARAMETERS", value: '{"country":"hidden"}' }];
    const { status, body } = await ofProvider({ extra_env_entries: entries });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      name: "tavily",
      provider_id: "tavily",
      target_mode: "runtime",
      auth: { kind: "bearer" },
    });
    expect(body.extra_env_names).toEqual(["DEFAULT_PARAMETERS"]);
    expect(JSON.stringify(body)).not.toMatch(/hidden|s3cret/);
    expect(examine).toHaveBeenCalledWith(owner.tenant_id, {
      target_mode: "marketplace",
      provider_id: "tavily",
      secret,
    });
    expect(applied.mock.calls[0]?.[1]).toEqual({ version: 1, secret, entries });
  });

  test.each([
    ["an unknown provider", { provider_id: "nobody" }, "provider_id: must be one of brave-search"],
    ["no credential", { secret: undefined }, "secret: is required"],
    ["a custom integration's address", { endpoint: pets.endpoint }, "endpoint: is for custom integrations"],
    ["a custom integration's mode", { target_mode: "openapi" }, "target_mode: is for custom integrations"],
    ["a custom integration's credential", { auth: pets.auth }, "auth: is for custom integrations"],
    [
      "a setting that the provider does not declare",
      { extra_env_entries: [{ name: "TAVILY_API_KEY", value: "x" }] },
      "extra_env_entries.0.name: is no setting of tavily, which takes DEFAULT_PARAMETERS",
    ],
    [
      "a setting of another form",
      { extra_env_entries: [{ name: "DEFAULT_PARAMETERS", value: '{"api_key":"x"}' }] },
      "extra_env_entries.0.value: must be a JSON object that has no members but search_depth",
    ],
    ["a credential that fits no variable", { secret: "s".repeat(5_001) }, "secret: must have at most 5000"],
    ["a rule for a tool that there is none of", { tools: { owners_only: ["lst_pets"] } }, "is no tool"],
  ])(
    "an integration from the marketplace is refused with %s before its provider is called",
    async (_, change, words) => {
      expect(problemOf(await ofProvider(change))).toMatch(/^400 /);
      expect(problemOf(await ofProvider(change))).toContain(words);
      expect(applied).not.toHaveBeenCalled();
    },
  );

  test.each([
    ["a provider's credential", { secret }, "secret: is for integrations of the marketplace"],
    ["settings", { extra_env_entries: [] }, "extra_env_entries: is for integrations of the marketplace"],
  ])("an integration from the marketplace has fields that a custom integration lacks: %s", async (_, change, words) => {
    expect(problemOf(await register(change))).toContain(`400 ${words}`);
  });

  test("an integration from the marketplace requires a gateway", async () => {
    const lonely = await plane.workspace(`Pets ${workspaces++}`);
    const answer = await call("POST", "", tavily, {}, lonely);
    expect(problemOf(answer)).toContain("409 The workspace has no MCP gateway");
  });

  test("an integration from the marketplace is removed again if the account's quota is full, and the answer says so", async () => {
    applied.mockRejectedValueOnce(new Refusal("platform_full", "there is no room"));
    expect(problemOf(await ofProvider())).toBe("409 there is no room");
    const { body } = await call("GET");
    expect(body.data).toEqual([]);
  });

  test("an integration from the marketplace keeps its credential if the account has no room for another one", async () => {
    const { body } = await ofProvider();
    applied.mockRejectedValueOnce(new Refusal("platform_full", "there is no room"));
    expect(problemOf(await call("PUT", `/${body.server_id}`, { secret: "another" }))).toBe("409 there is no room");
    expect((await call("GET", `/${body.server_id}`)).body).toMatchObject({
      secret_set_at: body.secret_set_at,
      version: 3,
    });
  });

  test("an integration from the marketplace accepts a change of some settings and keeps the others", async () => {
    const { body } = await ofProvider({ extra_env_entries: [{ name: "DEFAULT_PARAMETERS", value: "{}" }] });
    applied.mockClear();
    const { extra_env_names } = (await call("PUT", `/${body.server_id}`, { secret: "another" })).body;
    expect(extra_env_names).toEqual(["DEFAULT_PARAMETERS"]);
    expect(applied.mock.calls[0]?.[1]).toEqual({ version: 2, secret: "another", base: 1 });
    const foreign = await call("PUT", `/${body.server_id}`, { endpoint: pets.endpoint });
    expect(problemOf(foreign)).toBe("400 endpoint: is for the other kind of integration");
  });

  test("an integration from the marketplace can offer some of its tools without a call to its provider, and a new credential does not change that", async () => {
    const { body } = await ofProvider();
    examine.mockClear();
    const tools = { offered: ["list_pets"], owners_only: ["list_pets"] };
    const changed = await call("PUT", `/${body.server_id}`, { tools });
    expect(changed.body).toMatchObject({ state: body.state, tools: { all: ["list_pets"], ...tools } });
    expect(examine).not.toHaveBeenCalled();
    expect((await call("PUT", `/${body.server_id}`, { secret: "another" })).body.tools).toMatchObject(tools);
    expect((await call("PUT", `/${body.server_id}`, { tools: {} })).body.tools).toEqual({
      all: ["list_pets"],
      owners_only: [],
    });
  });
});
