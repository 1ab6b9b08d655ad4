// What is said of an integration before it is kept, and whenever it is verified.
import { beforeEach, describe, expect, jest, test } from "@jest/globals";
import {
  type Candidate,
  checkSpec,
  type ExaminationDependencies,
  examine,
  probeServer,
} from "../../../domain/integrations/examination.ts";
import type { RegisteredSpec } from "../../../domain/openapi/registered-spec.ts";
import { UpstreamFailure } from "../../../domain/upstream/upstream-failure.ts";
import { aServer } from "../../support/mcp/mcp-server-world.ts";
import { aRegisteredSpec } from "../../support/mcp/registered-spec.ts";

const document = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://api.example.com/v1/" }],
  paths: {
    "/pets/{id}": {
      get: { operationId: "getPet", parameters: [{ name: "id", in: "path", schema: { type: "string" } }] },
    },
    "/pets": { post: { operationId: "addPet" }, get: { operationId: "listPets" } },
  },
};
const text = JSON.stringify(document);
const registered: RegisteredSpec = {
  document: { ...document, servers: [{ url: "https://api.example.com/v1" }] },
  report: {
    ...aRegisteredSpec().report,
    base_url: "https://api.example.com/v1",
  },
};
const bearer = { location: "header", name: "Authorization", prefix: "Bearer" } as const;
const upstream = {
  requirePublic: jest.fn<(url: string) => Promise<void>>(),
  tools: jest.fn<(endpoint: string, credential: unknown) => Promise<{ name: string; digest: string }[]>>(),
  read: jest.fn<(url: string, credential: unknown, options?: object) => Promise<number>>(),
};
let uploads: Record<string, string>;
let deps: ExaminationDependencies;

beforeEach(() => {
  upstream.requirePublic.mockReset().mockResolvedValue();
  upstream.tools.mockReset().mockResolvedValue([{ name: "feed", digest: "1" }]);
  upstream.read.mockReset().mockResolvedValue(200);
  uploads = {};
  deps = {
    specs: {
      uploaded: async (tenantId, upload) => uploads[`${tenantId}/${upload}`],
      registered: async ({ spec_version }) => (spec_version === 1 ? registered : undefined),
    },
    secretOf: async ({ secret_version }) => (secret_version === undefined ? undefined : "kept"),
    servers: { get: async () => aServer() },
    upstream: () => upstream,
    runtimeTools: async () => [{ name: "tavily_search", digest: "9" }],
    readDocument: (given) => {
      try {
        return { document: JSON.parse(given) };
      } catch {
        return { problem: "is no JSON" };
      }
    },
    digest: (given) => String(given.length),
  };
});

const judged = (candidate: Candidate) => examine(deps, "t1", candidate);
const server = { target_mode: "mcp_server", endpoint: "https://mcp.example.com/", auth: { kind: "bearer" } } as const;

describe("an MCP server", () => {
  test("an MCP server under examination is called with the secret in the request, or else with the stored secret", async () => {
    expect(await judged({ ...server, secret: "sent" })).toEqual({ tools: [{ name: "feed", digest: "1" }] });
    await judged({ ...server, endpoint: "https://mcp.example.com/mcp", server_id: "srv_1" });
    expect(upstream.tools.mock.calls.map(([, credential]) => credential)).toEqual([
      { ...bearer, secret: "sent" },
      { ...bearer, secret: "kept" },
    ]);
    await expect(judged(server)).rejects.toMatchObject({ code: "secret_missing", fields: [{ path: "auth.secret" }] });
  });

  test.each([
    ["to another address", { endpoint: "https://mcp.example.com/other" }],
    ["in the query", { auth: { kind: "api_key", location: "query", name: "q" } }],
  ] as const)("an MCP server under examination is not called with the stored secret %s", async (_, change) => {
    const present = { ...server, endpoint: "https://mcp.example.com/mcp", server_id: "srv_1" };
    await expect(judged({ ...present, ...change })).rejects.toMatchObject({
      code: "secret_missing",
      fields: [{ path: "auth.secret" }],
    });
    expect(upstream.tools).not.toHaveBeenCalled();
    await judged({ ...present, ...change, secret: "sent" });
    expect(upstream.tools).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["credential_refused", "auth"],
    ["oauth_required", "auth"],
    ["address_not_public", "endpoint"],
    ["too_slow", "endpoint"],
  ] as const)(
    "an MCP server under examination that fails with %s is refused at the field %s",
    async (reason, field) => {
      upstream.tools.mockRejectedValueOnce(new UpstreamFailure(reason));
      await expect(judged({ ...server, secret: "sent" })).rejects.toMatchObject({
        code: "invalid_request",
        fields: [{ path: field }],
        message: expect.stringContaining(`(${reason})`),
      });
    },
  );
});

describe("a document", () => {
  test("an OpenAPI document is rewritten, its address is looked up, and the rewritten document is returned", async () => {
    const { tools, spec } = await judged({ target_mode: "openapi", spec: ` ${text}` });
    expect(tools.map(({ name }) => name)).toEqual(["getPet", "listPets", "addPet"]);
    expect(spec?.report).toMatchObject({ base_url: "https://api.example.com/v1", taken: 3 });
    expect(upstream.requirePublic.mock.calls).toEqual([["https://api.example.com/v1"]]);
  });

  test("a document of an existing integration is checked beside the present one, whose tools keep their names", async () => {
    deps.servers.get = async () => aServer({ target_mode: "openapi", spec_version: 1 });
    const paths = { "/pets": { get: { operationId: "renamed" }, put: { operationId: "setPets" } } };
    const candidate = {
      target_mode: "openapi",
      spec: JSON.stringify({ ...document, paths }),
      server_id: "srv_1",
    } as const;
    expect(await checkSpec(deps, "t1", candidate)).toMatchObject({
      taken: 2,
      difference: { added: ["setPets"], removed: ["getPet", "addPet"] },
    });
    expect(await checkSpec(deps, "t1", { ...candidate, server_id: undefined })).not.toHaveProperty("difference");
    const chosen = { base_url: "https://kept.example.com", operations: { methods: ["GET"] } };
    deps.servers.get = async () => aServer({ target_mode: "openapi", spec_version: 1, ...chosen });
    expect(await checkSpec(deps, "t1", candidate)).toMatchObject({
      base_url: chosen.base_url,
      taken: 1,
      not_chosen: 1,
    });
    expect(await checkSpec(deps, "t1", { ...candidate, operations: {} })).toMatchObject({ taken: 2, not_chosen: 0 });
    expect(upstream.read).not.toHaveBeenCalled();
  });

  test("an uploaded OpenAPI document must be the tenant's own", async () => {
    uploads["t2/1"] = text;
    await expect(judged({ target_mode: "openapi", upload: "1" })).rejects.toMatchObject({
      fields: [{ path: "spec_uri" }],
    });
    uploads["t1/1"] = text;
    expect((await judged({ target_mode: "openapi", upload: "1" })).tools).toHaveLength(3);
  });

  test.each([
    ["is neither JSON nor YAML", "{", "not_readable"],
    ["is too large", `"${"a".repeat(20_971_520)}"`, "too_large"],
    ["is Swagger 1", '{"swagger":"1.2"}', "version_unsupported"],
  ])("an OpenAPI document under examination that %s is refused", async (_, spec, code) => {
    await expect(judged({ target_mode: "openapi", spec })).rejects.toThrow(`(${code})`);
    expect(upstream.requirePublic).not.toHaveBeenCalled();
  });

  test("an OpenAPI document is registered if its API accepts the credential", async () => {
    const asked = { target_mode: "openapi", spec: text, auth: { kind: "bearer" }, secret: "sent" } as const;
    await judged(asked);
    expect(upstream.read.mock.calls).toEqual([["https://api.example.com/v1/pets", { ...bearer, secret: "sent" }]]);
    expect(await judged(asked)).not.toHaveProperty("untried");
    upstream.read.mockRejectedValueOnce(new UpstreamFailure("credential_refused"));
    await expect(judged(asked)).rejects.toMatchObject({
      code: "invalid_request",
      fields: [{ path: "auth" }],
      message: expect.stringContaining("GET https://api.example.com/v1/pets"),
    });
  });

  test.each([
    ["an operation that changes something", { "/pets": { post: { operationId: "addPet" } } }],
    [
      "an operation with input",
      { "/pets": { get: { operationId: "findPets", parameters: [{ name: "q", in: "query", required: true }] } } },
    ],
    ["an operation with a placeholder in its path", { "/pets/{id}": document.paths["/pets/{id}"] }],
  ])("a credential is not tried if the OpenAPI document's only operation is %s", async (_, paths) => {
    const spec = JSON.stringify({ ...document, paths });
    const { untried } = await judged({ target_mode: "openapi", spec, auth: { kind: "bearer" }, secret: "sent" });
    expect(untried).toMatchObject({ reason: "credential_untried" });
    expect(upstream.read).not.toHaveBeenCalled();
  });

  test("a credential is tried by the caller's own account where the document has it, and optional parameters are left out", async () => {
    const optional = [{ name: "limit", in: "query", schema: { type: "integer" } }];
    const paths = { "/pets": { get: { parameters: optional } }, "/users/me": { get: { parameters: optional } } };
    const spec = JSON.stringify({ ...document, paths });
    await judged({ target_mode: "openapi", spec, auth: { kind: "bearer" }, secret: "sent" });
    expect(upstream.read.mock.calls.map(([url]) => url)).toEqual(["https://api.example.com/v1/users/me"]);
  });

  test("an answer of 404 proves no credential", async () => {
    upstream.read.mockResolvedValueOnce(404);
    const asked = { target_mode: "openapi", spec: text, auth: { kind: "bearer" }, secret: "sent" } as const;
    expect((await judged(asked)).untried).toMatchObject({ reason: "credential_unproven" });
  });

  test.each(["credential_forbidden", "upstream_failed", "unreachable", "too_slow"] as const)(
    "an OpenAPI document is registered even if the trial read ends with %s",
    async (reason) => {
      upstream.read.mockRejectedValueOnce(new UpstreamFailure(reason));
      const asked = { target_mode: "openapi", spec: text, auth: { kind: "bearer" }, secret: "sent" } as const;
      const { tools, untried } = await judged(asked);
      expect([tools.length, untried]).toEqual([3, { reason, message: expect.any(String) }]);
    },
  );

  describe("of an integration that is there", () => {
    const auth = { kind: "bearer" } as const;
    beforeEach(() => {
      deps.servers.get = async () => aServer({ target_mode: "openapi", spec_version: 1 });
    });

    test("an existing integration keeps its OpenAPI document if the change has none, and a new credential is tried at its API", async () => {
      const { tools, spec } = await judged({
        target_mode: "openapi",
        auth,
        secret: "new",
        server_id: "srv_1",
      });
      expect([tools.length, spec]).toEqual([3, undefined]);
      expect(upstream.read).toHaveBeenCalledWith("https://api.example.com/v1/pets", { ...bearer, secret: "new" });
    });

    test("the API of an existing integration is not called with the stored credential in another header", async () => {
      const other = { kind: "api_key", location: "header", name: "x-echo" } as const;
      const change = { target_mode: "openapi", auth: other, server_id: "srv_1" } as const;
      await expect(judged(change)).rejects.toMatchObject({ code: "secret_missing" });
      await expect(judged({ ...change, spec: text })).rejects.toMatchObject({ code: "secret_missing" });
      expect(upstream.read).not.toHaveBeenCalled();
    });

    test("the OpenAPI document of an existing integration may change, but the stored credential is sent to no other address", async () => {
      const elsewhere = JSON.stringify({ ...document, servers: [{ url: "https://elsewhere.example.com/" }] });
      const change = { target_mode: "openapi", auth, server_id: "srv_1" } as const;
      await judged({ ...change, spec: text.replace("Pets", "Cats") });
      expect(upstream.read).toHaveBeenCalledWith("https://api.example.com/v1/pets", { ...bearer, secret: "kept" });
      upstream.read.mockClear();
      await expect(judged({ ...change, spec: elsewhere })).rejects.toMatchObject({
        code: "secret_missing",
        fields: [{ path: "auth.secret" }],
      });
      expect(upstream.read).not.toHaveBeenCalled();
      await judged({ ...change, spec: elsewhere, secret: "new" });
      expect(upstream.read).toHaveBeenCalledWith("https://elsewhere.example.com/pets", { ...bearer, secret: "new" });
    });
  });

  test("an OpenAPI document whose server is in a private network is refused", async () => {
    upstream.requirePublic.mockRejectedValueOnce(new UpstreamFailure("address_not_public"));
    await expect(judged({ target_mode: "openapi", spec: text })).rejects.toThrow("(server_not_public)");
  });
});

describe("a provider of the marketplace", () => {
  const asked = (provider_id: string) => ({ target_mode: "marketplace", provider_id, secret: "sent" }) as const;

  test("a credential is tried at the provider's check with the headers and the refusing statuses of that provider", async () => {
    await judged(asked("notion"));
    await judged(asked("brave-search"));
    expect(upstream.read.mock.calls.map(([url, , options]) => [url, options])).toEqual([
      ["https://api.notion.com/v1/users/me", { headers: { "notion-version": "2022-06-28" } }],
      ["https://api.search.brave.com/res/v1/web/search?q=brave&count=1", { refusedBy: [422] }],
    ]);
  });

  test.each([
    ["credential_refused", "secret"],
    ["unreachable", "provider_id"],
  ] as const)("a provider whose check ends with %s refuses the field %s", async (reason, field) => {
    upstream.read.mockRejectedValueOnce(new UpstreamFailure(reason));
    await expect(judged(asked("notion"))).rejects.toMatchObject({ code: "invalid_request", fields: [{ path: field }] });
  });
});

describe("verifying", () => {
  test("an API is tried with the credential by reading an operation that needs no input", async () => {
    const api = aServer({ target_mode: "openapi", spec_version: 1 });
    expect(await probeServer(deps, api)).toMatchObject({ tools: [{ name: "getPet" }, { name: "listPets" }, {}] });
    expect(upstream.read.mock.calls).toEqual([["https://api.example.com/v1/pets", { ...bearer, secret: "kept" }]]);
    expect(await probeServer(deps, { ...api, spec_version: 2 })).toMatchObject({ reason: "spec_missing" });
  });

  test("verifying a provider's server names settings that the provider does not accept", async () => {
    const web = { target_mode: "runtime", provider_id: "tavily", runtime_arn: "arn:runtime" } as const;
    const known = aServer({ ...web, extra_env_names: ["DEFAULT_PARAMETERS"] });
    expect(await probeServer(deps, known)).toMatchObject({ tools: [{ name: "tavily_search" }] });
    const unknown = aServer({ ...web, extra_env_names: ["DEFAULT_PARAMETERS", "HTTPS_PROXY"] });
    expect(await probeServer(deps, unknown)).toMatchObject({ reason: "settings_undeclared" });
  });

  test("verifying an integration returns a failure of the server as a result, and throws other errors", async () => {
    upstream.tools.mockRejectedValueOnce(new UpstreamFailure("unreachable"));
    expect(await probeServer(deps, aServer())).toEqual({ reason: "unreachable", message: expect.any(String) });
    upstream.tools.mockRejectedValueOnce(new TypeError("a fault of ours"));
    await expect(probeServer(deps, aServer())).rejects.toThrow(TypeError);
  });
});
