import {
  BedrockAgentCoreControlClient,
  CreateAgentRuntimeCommand,
  type CreateAgentRuntimeCommandInput,
  CreateApiKeyCredentialProviderCommand,
  CreateGatewayCommand,
  CreateGatewayRateLimitCommand,
  DeleteAgentRuntimeCommand,
  DeleteApiKeyCredentialProviderCommand,
  GetAgentRuntimeCommand,
  GetApiKeyCredentialProviderCommand,
  ListAgentRuntimesCommand,
  ListApiKeyCredentialProvidersCommand,
  UpdateAgentRuntimeCommand,
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
  test("an agent runtime is made of code that its maker may read", async () => {
    const blind = new BedrockAgentCoreControlClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("blind"))));
    await expect(blind.send(new CreateAgentRuntimeCommand(aRuntime()))).rejects.toThrow("s3:GetObject");
    blind.destroy();
  });

  test("an agent runtime is CREATING, then READY, and gone after its deletion", async () => {
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
    expect(await client.send(new DeleteAgentRuntimeCommand({ agentRuntimeId }))).toMatchObject({ status: "DELETING" });
    settle();
    await expect(get()).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    expect((await client.send(new ListAgentRuntimesCommand({}))).agentRuntimes).toEqual([]);
  });

  test("an agent runtime gets a new version with each update", async () => {
    const { agentRuntimeId } = await client.send(new CreateAgentRuntimeCommand(aRuntime()));
    settle();
    const { agentRuntimeName: _, ...definition } = aRuntime();
    const update = { ...definition, agentRuntimeId, environmentVariables: { TOKEN: "second" } };
    expect(await client.send(new UpdateAgentRuntimeCommand(update))).toMatchObject({ agentRuntimeVersion: "2" });
    settle();
    expect(await client.send(new GetAgentRuntimeCommand({ agentRuntimeId }))).toMatchObject({
      agentRuntimeVersion: "2",
      environmentVariables: { TOKEN: "second" },
    });
  });

  test.each([
    ["a hyphen in its name", { agentRuntimeName: "not-es" }],
    ["51 variables", { environmentVariables: Object.fromEntries([...Array(51).keys()].map((n) => [`V${n}`, "x"])) }],
    ["a value of 5,001 characters", { environmentVariables: { LONG: "x".repeat(5_001) } }],
  ])("an agent runtime with %s is refused", async (_, change) => {
    await expect(client.send(new CreateAgentRuntimeCommand({ ...aRuntime(), ...change }))).rejects.toMatchObject({
      name: "ValidationException",
    });
  });
});

describe("an API key credential provider", () => {
  test("an API key credential provider keeps its key in a secret of its own, which its deletion removes", async () => {
    const { apiKeySecretArn, credentialProviderArn } = await client.send(
      new CreateApiKeyCredentialProviderCommand({ name: "weather", apiKey: "first" }),
    );
    expect(credentialProviderArn).toMatch(/:token-vault\/default\/apikeycredentialprovider\/weather$/);
    const value = () => secrets.get(apiKeySecretArn?.secretArn ?? "");
    expect(value()).toBe('{"api_key_value":"first"}');
    const found = await client.send(new GetApiKeyCredentialProviderCommand({ name: "weather" }));
    expect(found).toMatchObject({ apiKeySecretSource: "MANAGED", createdTime: expect.any(Date) });
    expect(JSON.stringify(found)).not.toContain("first");
    await client.send(new DeleteApiKeyCredentialProviderCommand({ name: "weather" }));
    expect(value()).toBeUndefined();
    expect((await client.send(new ListApiKeyCredentialProvidersCommand({}))).credentialProviders).toEqual([]);
  });

  test("an API key credential provider can point to a secret of the caller's account", async () => {
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

  test("an account has at most fifty API key credential providers", async () => {
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

test("a gateway's rate limit works at once, and can be created only once", async () => {
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
  const limit = {
    gatewayIdentifier,
    rateLimitId: "calls",
    dimensionKeys: ["targetName"],
    entries: [{ dimensions: { targetName: "*" }, requests: [{ rate: 10, period: "second" as const }] }],
  };
  const made = await client.send(new CreateGatewayRateLimitCommand(limit));
  expect(made).toMatchObject({ rateLimitId: "calls", status: "ACTIVE", entries: limit.entries });
  await expect(client.send(new CreateGatewayRateLimitCommand(limit))).rejects.toMatchObject({
    name: "ConflictException",
  });
});
