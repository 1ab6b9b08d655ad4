import {
  BedrockAgentCoreControlClient,
  CreateApiKeyCredentialProviderCommand,
  CreateGatewayCommand,
  type CreateGatewayCommandInput,
  CreateGatewayTargetCommand,
  type CreateGatewayTargetCommandInput,
  DeleteGatewayCommand,
  DeleteGatewayTargetCommand,
  GetGatewayCommand,
  GetGatewayTargetCommand,
  ListGatewaysCommand,
  ListGatewayTargetsCommand,
  SynchronizeGatewayTargetsCommand,
  UpdateGatewayCommand,
  UpdateGatewayTargetCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { AgentCore } from "../../agentcore/agentcore.ts";
import { Secrets } from "../../secrets-manager/secrets.ts";
import { Store } from "../../store.ts";
import { agentCore } from "../support/agentcore.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources, roleArn } from "../support/declared-iam.ts";
import { type UpstreamServer, upstreamServer } from "../support/upstream-server.ts";

const trustsAgentCore = {
  Effect: "Allow",
  Principal: { Service: "bedrock-agentcore.amazonaws.com" },
  Action: "sts:AssumeRole",
  Condition: { StringEquals: { "aws:SourceAccount": "000000000000" } },
};
const onGateways = "arn:aws:bedrock-agentcore:eu-central-1:000000000000:gateway/*";

let store: Store;
let agentcore: AgentCore;
let endpoint: RunningEndpoint;
let client: BedrockAgentCoreControlClient;
let upstream: UpstreamServer;

beforeEach(async () => {
  store = new Store(":memory:");
  upstream = upstreamServer();
  endpoint = await startEndpoint({
    resources: resources(
      aRole("admin", [allow(["bedrock-agentcore:*", "iam:PassRole", "secretsmanager:*"], "*")]),
      aRole("half", [
        allow(["bedrock-agentcore:CreateGateway", "bedrock-agentcore:CreateWorkloadIdentity"], "*"),
        allow("iam:PassRole", roleArn("gateway"), {
          Condition: { StringEquals: { "iam:PassedToService": "lambda.amazonaws.com" } },
        }),
      ]),
      aRole("own", [
        allow("bedrock-agentcore:GetGateway", onGateways, {
          Condition: { StringEquals: { "aws:ResourceTag/tenant_id": "t1" } },
        }),
      ]),
      aRole("gateway", [], { trust: [trustsAgentCore] }),
      aRole("other", []),
    ),
    services: ({ clock, iam, calls }) => {
      const secrets = new Secrets({ store, clock });
      agentcore = agentCore({ store, clock, iam, calls, secrets, fetch: upstream.fetch });
      return [agentcore];
    },
  });
  client = clientOf("admin");
  // No state settles before the clock is advanced.
  const slow = { gatewayMs: 60_000, targetMs: 60_000, lingerMs: 60_000 };
  agentcore.configure({ ...slow, quotas: { changesPerSecond: 1000, readsPerSecond: 1000, identityPerSecond: 1000 } });
});

afterEach(async () => {
  client.destroy();
  await endpoint.close();
  store.close();
});

function clientOf(role: string): BedrockAgentCoreControlClient {
  return new BedrockAgentCoreControlClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role))));
}

const aGateway = (name = "acme"): CreateGatewayCommandInput => ({
  name,
  roleArn: roleArn("gateway"),
  protocolType: "MCP",
  authorizerType: "CUSTOM_JWT",
  authorizerConfiguration: {
    customJWTAuthorizer: {
      discoveryUrl: "https://cognito-idp.eu-central-1.amazonaws.com/pool/.well-known/openid-configuration",
      allowedClients: ["client-1"],
    },
  },
});

const aTarget = (gatewayIdentifier: string, name = "weather"): CreateGatewayTargetCommandInput => ({
  gatewayIdentifier,
  name,
  targetConfiguration: { mcp: { mcpServer: { endpoint: "https://mcp.example.com/mcp" } } },
});

async function readyGateway(name?: string): Promise<string> {
  const { gatewayId = "" } = await client.send(new CreateGatewayCommand(aGateway(name)));
  settle();
  return gatewayId;
}

async function readyTarget(gatewayId: string, name?: string): Promise<string> {
  const { targetId = "" } = await client.send(new CreateGatewayTargetCommand(aTarget(gatewayId, name)));
  await agentcore.targets.idle();
  settle();
  return targetId;
}

/** Lets every operation under way end, by the clock alone. */
function settle(): void {
  endpoint.clock.advance(agentcore.settings.targetMs + agentcore.settings.gatewayMs + agentcore.settings.lingerMs);
}

const refusal = (name: string, status: number, message: RegExp = /./) => ({
  name,
  message: expect.stringMatching(message),
  $metadata: expect.objectContaining({ httpStatusCode: status }),
});

describe("a gateway", () => {
  test("an AgentCore gateway is CREATING at first and READY after some time of the clock, at a host named after its id", async () => {
    const created = await client.send(new CreateGatewayCommand(aGateway("Acme-1")));
    expect(created).toMatchObject({ status: "CREATING", name: "Acme-1", createdAt: expect.any(Date) });
    expect(created.gatewayId).toMatch(/^acme-1-[0-9a-z]{10}$/);
    expect(created.gatewayUrl).toBe(
      `https://${created.gatewayId}.gateway.bedrock-agentcore.eu-central-1.amazonaws.com/mcp`,
    );
    const get = new GetGatewayCommand({ gatewayIdentifier: created.gatewayId });
    expect(await client.send(get)).toMatchObject({ status: "CREATING" });
    settle();
    expect(await client.send(get)).toMatchObject({ status: "READY" });
  });

  test("an AgentCore gateway's name is unique, and repeating its creation returns the same gateway", async () => {
    const input = { ...aGateway(), clientToken: "a".repeat(40) };
    const first = await client.send(new CreateGatewayCommand(input));
    expect((await client.send(new CreateGatewayCommand(input))).gatewayId).toBe(first.gatewayId);
    await expect(client.send(new CreateGatewayCommand(aGateway()))).rejects.toMatchObject(
      refusal("ConflictException", 409),
    );
  });

  test.each(["under_score", "double--hyphen", "a".repeat(49)])(
    "an AgentCore gateway cannot be named %s",
    async (name) => {
      await expect(client.send(new CreateGatewayCommand(aGateway(name)))).rejects.toMatchObject(
        refusal("ValidationException", 400, /name/),
      );
    },
  );

  test("an AgentCore gateway without a rule for tokens is refused", async () => {
    const { authorizerConfiguration: _, ...input } = aGateway();
    const customJWTAuthorizer = { discoveryUrl: "https://x/.well-known/openid-configuration" };
    const open = { ...input, authorizerConfiguration: { customJWTAuthorizer } };
    await expect(client.send(new CreateGatewayCommand(open))).rejects.toMatchObject(
      refusal("ValidationException", 400, /allowedClients/),
    );
  });

  test("an update of an AgentCore gateway removes the settings that it leaves out, and is refused while another update runs", async () => {
    const gatewayIdentifier = await readyGateway();
    await client.send(new UpdateGatewayCommand({ ...aGateway(), gatewayIdentifier, description: "first" }));
    const again = new UpdateGatewayCommand({ ...aGateway(), gatewayIdentifier });
    await expect(client.send(again)).rejects.toMatchObject(refusal("ConflictException", 409, /UPDATING/));
    settle();
    expect(await client.send(again)).not.toHaveProperty("description");
  });

  test("an AgentCore gateway cannot be deleted before its targets, nor at once after the last target", async () => {
    const gatewayIdentifier = await readyGateway();
    const targetId = await readyTarget(gatewayIdentifier);
    const remove = () => client.send(new DeleteGatewayCommand({ gatewayIdentifier }));
    const hasTargets = refusal("ValidationException", 400, /has targets associated with it/);
    await expect(remove()).rejects.toMatchObject(hasTargets);
    await client.send(new DeleteGatewayTargetCommand({ gatewayIdentifier, targetId }));
    await expect(remove()).rejects.toMatchObject(hasTargets);
    endpoint.clock.advance(agentcore.settings.targetMs);
    expect((await client.send(new ListGatewayTargetsCommand({ gatewayIdentifier }))).items).toEqual([]);
    await expect(remove()).rejects.toMatchObject(hasTargets);
    endpoint.clock.advance(agentcore.settings.lingerMs);
    expect(await remove()).toMatchObject({ gatewayId: gatewayIdentifier, status: "DELETING" });
    settle();
    await expect(client.send(new GetGatewayCommand({ gatewayIdentifier }))).rejects.toMatchObject(
      refusal("ResourceNotFoundException", 404),
    );
  });

  test("AgentCore gateways are listed in pages", async () => {
    for (const name of ["one", "two", "three"]) await readyGateway(name);
    const { items, nextToken } = await client.send(new ListGatewaysCommand({ maxResults: 2 }));
    expect(items?.map(({ name }) => name)).toEqual(["one", "two"]);
    const rest = await client.send(new ListGatewaysCommand({ maxResults: 2, nextToken }));
    expect(rest).toMatchObject({ items: [{ name: "three", status: "READY" }] });
    expect(rest.nextToken).toBeUndefined();
  });

  test("a gateway above the account's quota is refused with 402, and a call above the rate with 429", async () => {
    agentcore.configure({ quotas: { gateways: 1 } });
    await readyGateway("one");
    await expect(client.send(new CreateGatewayCommand(aGateway("two")))).rejects.toMatchObject(
      refusal("ServiceQuotaExceededException", 402),
    );
    agentcore.configure({ quotas: { changesPerSecond: 0 } });
    await expect(client.send(new CreateGatewayCommand(aGateway("two")))).rejects.toMatchObject(
      refusal("ThrottlingException", 429),
    );
  });
});

describe("the rights", () => {
  test("creating an AgentCore gateway needs the right to pass its role, and the role has to trust AgentCore", async () => {
    await expect(clientOf("half").send(new CreateGatewayCommand(aGateway()))).rejects.toMatchObject(
      refusal("AccessDeniedException", 403, /iam:PassRole/),
    );
    const untrusting = { ...aGateway(), roleArn: roleArn("other") };
    await expect(client.send(new CreateGatewayCommand(untrusting))).rejects.toMatchObject(
      refusal("ValidationException", 400, /trust policy/),
    );
  });

  test("rights on a gateway can depend on its tags", async () => {
    const made = (tenant_id: string) =>
      client.send(new CreateGatewayCommand({ ...aGateway(), name: tenant_id, tags: { tenant_id } }));
    const get = (gatewayIdentifier?: string) => clientOf("own").send(new GetGatewayCommand({ gatewayIdentifier }));
    const [own, other] = [await made("t1"), await made("t2")];
    expect(await get(own.gatewayId)).toMatchObject({ gatewayId: own.gatewayId });
    await expect(get(other.gatewayId)).rejects.toMatchObject(refusal("AccessDeniedException", 403));
  });
});

describe("a target", () => {
  test("a gateway's target is READY once its tools are read, and its name is unique in its gateway", async () => {
    const gatewayIdentifier = await readyGateway();
    const created = await client.send(new CreateGatewayTargetCommand(aTarget(gatewayIdentifier)));
    expect(created).toMatchObject({ status: "CREATING", credentialProviderConfigurations: [] });
    expect(created.targetId).toMatch(/^[0-9A-Z]{10}$/);
    await agentcore.targets.idle();
    settle();
    const { targetId } = created;
    expect(await client.send(new GetGatewayTargetCommand({ gatewayIdentifier, targetId }))).toMatchObject({
      status: "READY",
      lastSynchronizedAt: expect.any(Date),
    });
    await expect(client.send(new CreateGatewayTargetCommand(aTarget(gatewayIdentifier)))).rejects.toMatchObject(
      refusal("ConflictException", 409, /name weather/),
    );
  });

  test("a gateway's target whose tools cannot be read is FAILED with the reason", async () => {
    upstream.refusesWith = 401;
    const gatewayIdentifier = await readyGateway();
    const targetId = await readyTarget(gatewayIdentifier);
    expect(await client.send(new GetGatewayTargetCommand({ gatewayIdentifier, targetId }))).toMatchObject({
      status: "FAILED",
      statusReasons: [expect.stringMatching(/^Failed to connect and fetch tools .*401/)],
    });
  });

  test("a gateway's target keeps offering its tools while it is updated, and after a failed update", async () => {
    upstream.tools = ["first"];
    const gatewayIdentifier = await readyGateway();
    const targetId = await readyTarget(gatewayIdentifier);
    const offered = () =>
      agentcore.targets.offers(gatewayIdentifier).flatMap(({ tools }) => tools.map(({ tool }) => tool.name));
    upstream.tools = ["second"];
    const update = () => client.send(new UpdateGatewayTargetCommand({ ...aTarget(gatewayIdentifier), targetId }));
    expect(await update()).toMatchObject({ status: "UPDATING" });
    await agentcore.targets.idle();
    expect(offered()).toEqual(["first"]);
    await expect(update()).rejects.toMatchObject(refusal("ConflictException", 409, /UPDATING/));
    settle();
    expect(offered()).toEqual(["second"]);
    upstream.refusesWith = 500;
    await client.send(new SynchronizeGatewayTargetsCommand({ gatewayIdentifier, targetIdList: [targetId] }));
    await agentcore.targets.idle();
    settle();
    expect(offered()).toEqual(["second"]);
    expect(await client.send(new ListGatewayTargetsCommand({ gatewayIdentifier }))).toMatchObject({
      items: [{ targetId, status: "SYNCHRONIZE_UNSUCCESSFUL", listingMode: "DEFAULT" }],
    });
  });

  test("a gateway refuses the sixth operation on targets at the same time", async () => {
    const gatewayIdentifier = await readyGateway();
    const create = (name: string) => client.send(new CreateGatewayTargetCommand(aTarget(gatewayIdentifier, name)));
    for (const name of ["a", "b", "c", "d", "e"]) await create(name);
    await expect(create("f")).rejects.toMatchObject(refusal("ThrottlingException", 429, /5 concurrent/));
    await agentcore.targets.idle();
    settle();
    expect(await create("f")).toMatchObject({ name: "f" });
  });

  test("a gateway's target of an unknown provider is refused", async () => {
    const gatewayIdentifier = await readyGateway();
    const target = (providerArn: string | undefined): CreateGatewayTargetCommandInput => ({
      ...aTarget(gatewayIdentifier),
      credentialProviderConfigurations: [
        {
          credentialProviderType: "API_KEY",
          credentialProvider: { apiKeyCredentialProvider: { providerArn, credentialPrefix: "Bearer" } },
        },
      ],
    });
    const unknown =
      "arn:aws:bedrock-agentcore:eu-central-1:000000000000:token-vault/default/apikeycredentialprovider/x";
    await expect(client.send(new CreateGatewayTargetCommand(target(unknown)))).rejects.toMatchObject(
      refusal("ValidationException", 400, /no provider/),
    );
    const { credentialProviderArn } = await client.send(
      new CreateApiKeyCredentialProviderCommand({ name: "key", apiKey: "k" }),
    );
    expect(await client.send(new CreateGatewayTargetCommand(target(credentialProviderArn)))).toMatchObject({
      status: "CREATING",
    });
  });

  test("reading the tools of a gateway's target continues after a restart", async () => {
    const gatewayIdentifier = await readyGateway();
    upstream.hangs = true;
    const { targetId = "" } = await client.send(new CreateGatewayTargetCommand(aTarget(gatewayIdentifier)));
    settle();
    const { clock, iam, calls } = endpoint;
    const secrets = new Secrets({ store, clock });
    const restarted = agentCore({ store, clock, iam, calls, secrets, fetch: upstreamServer().fetch });
    expect(restarted.targets.get(gatewayIdentifier, targetId).status).toBe("CREATING");
    await restarted.targets.idle();
    expect(restarted.targets.get(gatewayIdentifier, targetId).status).toBe("READY");
  });
});
