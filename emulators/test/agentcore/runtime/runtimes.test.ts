import {
  BedrockAgentCoreControlClient,
  CreateAgentRuntimeCommand,
  type CreateAgentRuntimeCommandInput,
  CreateAgentRuntimeEndpointCommand,
  CreateApiKeyCredentialProviderCommand,
  CreateGatewayCommand,
  CreateGatewayRateLimitCommand,
  DeleteAgentRuntimeCommand,
  DeleteAgentRuntimeEndpointCommand,
  DeleteApiKeyCredentialProviderCommand,
  GetAgentRuntimeCommand,
  GetAgentRuntimeEndpointCommand,
  GetApiKeyCredentialProviderCommand,
  ListAgentRuntimeEndpointsCommand,
  ListAgentRuntimesCommand,
  ListAgentRuntimeVersionsCommand,
  ListApiKeyCredentialProvidersCommand,
  ListGatewayRateLimitsCommand,
  UpdateAgentRuntimeCommand,
  UpdateApiKeyCredentialProviderCommand,
  UpdateGatewayRateLimitCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { AgentCore } from "../../../agentcore/agentcore.ts";
import { Secrets } from "../../../secrets-manager/secrets.ts";
import { Store } from "../../../store.ts";
import { agentCore } from "../../support/agentcore.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources, roleArn } from "../../support/declared-iam.ts";

const trust = [
  { Effect: "Allow", Principal: { Service: "bedrock-agentcore.amazonaws.com" }, Action: "sts:AssumeRole" },
];

let store: Store;
let agentcore: AgentCore;
let secrets: Secrets;
let endpoint: RunningEndpoint;
let client: BedrockAgentCoreControlClient;

beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: resources(
      aRole("admin", [allow(["bedrock-agentcore:*", "iam:PassRole", "secretsmanager:*", "s3:GetObject"], "*")]),
      aRole("blind", [allow(["bedrock-agentcore:*", "iam:PassRole"], "*")]),
      aRole("runtime", [], { trust }),
    ),
    services: ({ clock, iam, calls }) => {
      secrets = new Secrets({ store, clock });
      agentcore = agentCore({ store, clock, iam, calls, secrets });
      return [agentcore];
    },
  });
  agentcore.configure({ runtimeMs: 60_000 });
  client = new BedrockAgentCoreControlClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("admin"))));
});

afterEach(async () => {
  client.destroy();
  await endpoint.close();
  store.close();
});

const aRuntime = (agentRuntimeName = "notes"): CreateAgentRuntimeCommandInput => ({
  agentRuntimeName,
  roleArn: roleArn("runtime"),
  agentRuntimeArtifact: {
    codeConfiguration: {
      code: { s3: { bucket: "code", prefix: "notes.zip" } },
      runtime: "NODE_22",
      entryPoint: ["index.mjs"],
    },
  },
  networkConfiguration: { networkMode: "PUBLIC" },
  protocolConfiguration: { serverProtocol: "MCP" },
  environmentVariables: { TOKEN: "first" },
});

function settle(): void {
  endpoint.clock.advance(agentcore.settings.runtimeMs);
}

describe("an agent runtime", () => {
  test("is made of code that its maker may read", async () => {
    const blind = new BedrockAgentCoreControlClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("blind"))));
    await expect(blind.send(new CreateAgentRuntimeCommand(aRuntime()))).rejects.toThrow("s3:GetObject");
    blind.destroy();
  });

  test("is CREATING, then READY with its endpoint DEFAULT, and gone after its deletion", async () => {
    const { agentRuntimeId, status } = await client.send(new CreateAgentRuntimeCommand(aRuntime()));
    expect(agentRuntimeId).toMatch(/^notes-[0-9a-z]{10}$/);
    expect(status).toBe("CREATING");
    settle();
    const get = () => client.send(new GetAgentRuntimeCommand({ agentRuntimeId }));
    expect(await get()).toMatchObject({
      status: "READY",
      agentRuntimeVersion: "1",
      lifecycleConfiguration: { idleRuntimeSessionTimeout: 900, maxLifetime: 28_800 },
    });
    const { runtimeEndpoints } = await client.send(new ListAgentRuntimeEndpointsCommand({ agentRuntimeId }));
    expect(runtimeEndpoints).toMatchObject([{ name: "DEFAULT", status: "READY", liveVersion: "1" }]);
    expect(await client.send(new DeleteAgentRuntimeCommand({ agentRuntimeId }))).toMatchObject({ status: "DELETING" });
    settle();
    await expect(get()).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    expect((await client.send(new ListAgentRuntimesCommand({}))).agentRuntimes).toEqual([]);
  });

  test("gets a new version with each update, which DEFAULT follows and a pinned endpoint does not", async () => {
    const { agentRuntimeId } = await client.send(new CreateAgentRuntimeCommand(aRuntime()));
    settle();
    await client.send(new CreateAgentRuntimeEndpointCommand({ agentRuntimeId, name: "pinned" }));
    const { agentRuntimeName: _, ...definition } = aRuntime();
    const update = { ...definition, agentRuntimeId, environmentVariables: { TOKEN: "second" } };
    expect(await client.send(new UpdateAgentRuntimeCommand(update))).toMatchObject({ agentRuntimeVersion: "2" });
    settle();
    const versionAt = async (endpointName: string) =>
      (await client.send(new GetAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName }))).liveVersion;
    expect([await versionAt("DEFAULT"), await versionAt("pinned")]).toEqual(["2", "1"]);
    expect(await client.send(new GetAgentRuntimeCommand({ agentRuntimeId, agentRuntimeVersion: "1" }))).toMatchObject({
      environmentVariables: { TOKEN: "first" },
    });
    const { agentRuntimes } = await client.send(new ListAgentRuntimeVersionsCommand({ agentRuntimeId }));
    expect(agentRuntimes?.map(({ agentRuntimeVersion }) => agentRuntimeVersion)).toEqual(["1", "2"]);
    expect(
      await client.send(new DeleteAgentRuntimeEndpointCommand({ agentRuntimeId, endpointName: "pinned" })),
    ).toMatchObject({ status: "DELETING" });
  });

  test.each([
    ["a hyphen in its name", { agentRuntimeName: "not-es" }],
    ["51 variables", { environmentVariables: Object.fromEntries([...Array(51).keys()].map((n) => [`V${n}`, "x"])) }],
    ["a value of 5,001 characters", { environmentVariables: { LONG: "x".repeat(5_001) } }],
  ])("with %s is refused", async (_, change) => {
    await expect(client.send(new CreateAgentRuntimeCommand({ ...aRuntime(), ...change }))).rejects.toMatchObject({
      name: "ValidationException",
    });
  });
});

describe("an API key credential provider", () => {
  test("keeps its key in a secret of its own, which its deletion removes", async () => {
    const { apiKeySecretArn, credentialProviderArn } = await client.send(
      new CreateApiKeyCredentialProviderCommand({ name: "weather", apiKey: "first" }),
    );
    expect(credentialProviderArn).toMatch(/:token-vault\/default\/apikeycredentialprovider\/weather$/);
    const value = () => secrets.get(apiKeySecretArn?.secretArn ?? "");
    expect(value()).toBe('{"api_key_value":"first"}');
    await client.send(new UpdateApiKeyCredentialProviderCommand({ name: "weather", apiKey: "second" }));
    expect(value()).toBe('{"api_key_value":"second"}');
    const found = await client.send(new GetApiKeyCredentialProviderCommand({ name: "weather" }));
    expect(found).toMatchObject({ apiKeySecretSource: "MANAGED", createdTime: expect.any(Date) });
    expect(JSON.stringify(found)).not.toContain("second");
    await client.send(new DeleteApiKeyCredentialProviderCommand({ name: "weather" }));
    expect(value()).toBeUndefined();
    expect((await client.send(new ListApiKeyCredentialProvidersCommand({}))).credentialProviders).toEqual([]);
  });

  test("may point at a secret of ours", async () => {
    const secretId = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:t1/weather-AbCdEf";
    const external = { apiKeySecretSource: "EXTERNAL", apiKeySecretConfig: { secretId, jsonKey: "value" } } as const;
    expect(
      await client.send(new CreateApiKeyCredentialProviderCommand({ name: "weather", ...external })),
    ).toMatchObject({
      apiKeySecretArn: { secretArn: secretId },
      apiKeySecretJsonKey: "value",
      apiKeySecretSource: "EXTERNAL",
    });
    await expect(
      client.send(new CreateApiKeyCredentialProviderCommand({ name: "other", ...external, apiKey: "x" })),
    ).rejects.toMatchObject({ name: "ValidationException" });
  });

  test("is one of fifty in the account", async () => {
    agentcore.configure({ quotas: { apiKeyCredentialProviders: 1 } });
    await client.send(new CreateApiKeyCredentialProviderCommand({ name: "one", apiKey: "k" }));
    await expect(
      client.send(new CreateApiKeyCredentialProviderCommand({ name: "two", apiKey: "k" })),
    ).rejects.toMatchObject({ name: "ServiceQuotaExceededException", $metadata: { httpStatusCode: 402 } });
    await expect(
      client.send(new CreateApiKeyCredentialProviderCommand({ name: "one", apiKey: "k" })),
    ).rejects.toMatchObject({ name: "ConflictException" });
  });
});

test("a gateway's rate limit is made, changed and listed", async () => {
  const { gatewayId: gatewayIdentifier } = await client.send(
    new CreateGatewayCommand({
      name: "acme",
      roleArn: roleArn("runtime"),
      authorizerType: "CUSTOM_JWT",
      authorizerConfiguration: {
        customJWTAuthorizer: { discoveryUrl: "https://x/.well-known/openid-configuration", allowedClients: ["c"] },
      },
    }),
  );
  const entries = (rate: number) => [
    { dimensions: { targetName: "*" }, requests: [{ rate, period: "second" as const }] },
  ];
  const { rateLimitId } = await client.send(
    new CreateGatewayRateLimitCommand({ gatewayIdentifier, dimensionKeys: ["targetName"], entries: entries(10) }),
  );
  await client.send(new UpdateGatewayRateLimitCommand({ gatewayIdentifier, rateLimitId, entries: entries(20) }));
  const { rateLimits } = await client.send(new ListGatewayRateLimitsCommand({ gatewayIdentifier }));
  expect(rateLimits).toMatchObject([{ rateLimitId, status: "ACTIVE", entries: entries(20) }]);
});
