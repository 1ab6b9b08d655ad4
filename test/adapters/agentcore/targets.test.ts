import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { credentialProviders } from "../../../adapters/agentcore/credential-providers.ts";
import { agentCoreGateways } from "../../../adapters/agentcore/gateways.ts";
import { agentCoreTargets } from "../../../adapters/agentcore/targets.ts";
import type { AgentCoreTargets } from "../../../domain/integrations/agentcore-targets.ts";
import { agentCoreEndpoint } from "../../support/mcp/agentcore-endpoint.ts";

let at: Awaited<ReturnType<typeof agentCoreEndpoint>>;
let targets: AgentCoreTargets;
let gatewayId: string;

beforeEach(async () => {
  at = await agentCoreEndpoint();
  const discoveryUrl = "https://cognito-idp.eu-central-1.amazonaws.com/pool/.well-known/openid-configuration";
  const interceptorArn = "arn:aws:lambda:eu-central-1:000000000000:function:interceptor";
  const options = { stack: "dev", roleArn: at.gatewayRole, interceptorArn, discoveryUrl, clientForm: "clients" };
  gatewayId = await agentCoreGateways(options, at.client).create({ name: "acme", tenantId: "t1", clientIds: ["c"] });
  targets = agentCoreTargets(at.client);
});
afterEach(() => at.close());

const upstream = { endpoint: "https://mcp.example.com/mcp" };
const secret = { name: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:t1/pets-AbCdEf", member: "api_key" };
const providerOf = (name: string) => credentialProviders("dev", at.client).ensure({ name, tenantId: "t1", secret });
const sent = { location: "header", name: "Authorization", prefix: "Bearer" } as const;

test("a target uses its credential provider, is found by its name, and keeps its id when the provider is replaced", async () => {
  const first = await providerOf("pets-1");
  const id = await targets.create(gatewayId, { name: "pets", upstream, credential: { ...sent, providerArn: first } });
  await at.agentcore.targets.idle();
  expect(await targets.status(gatewayId, id)).toMatchObject({ state: "ready" });
  expect(await targets.find(gatewayId, "pets")).toBe(id);
  expect(at.upstream.requests.at(-1)?.headers.get("authorization")).toBe("Bearer value");
  const providerArn = await providerOf("pets-2");
  await targets.update(gatewayId, id, { name: "pets", upstream, credential: { ...sent, providerArn } });
  await at.agentcore.targets.idle();
  const [kept] = at.agentcore.list().gateways[0]?.targets ?? [];
  expect([kept?.targetId, kept?.tools, JSON.stringify(kept)]).toEqual([
    id,
    ["feed"],
    expect.stringContaining(providerArn),
  ]);
});

test("an integration's OpenAPI document is the configuration of its target", async () => {
  const paths = { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "all" } } } } };
  const servers = [{ url: "https://api.example.com/v1" }];
  const document = JSON.stringify({ openapi: "3.0.3", info: { title: "Pets", version: "1" }, servers, paths });
  await targets.create(gatewayId, { name: "api", upstream: { document } });
  await at.agentcore.targets.idle();
  expect(at.agentcore.list().gateways[0]?.targets[0]?.tools).toEqual(["listPets"]);
});

test("a server that refuses makes its target fail with a reason, and the tools are listed again after a change", async () => {
  at.upstream.refusesWith = 500;
  const failed = await targets.create(gatewayId, { name: "pets", upstream });
  await at.agentcore.targets.idle();
  expect(await targets.status(gatewayId, failed)).toMatchObject({ state: "failed", reason: expect.any(String) });
  at.upstream.refusesWith = undefined;
  const id = await targets.create(gatewayId, { name: "cats", upstream });
  await at.agentcore.targets.idle();
  expect(await targets.status(gatewayId, id)).toMatchObject({ state: "ready" });
  at.upstream.tools.push("walk");
  await targets.update(gatewayId, id, { name: "cats", upstream });
  await at.agentcore.targets.idle();
  expect(at.agentcore.list().gateways[0]?.targets.at(-1)?.tools).toEqual(["feed", "walk"]);
});

test("removing a target twice is no error, and it has no status; a removed gateway has no targets", async () => {
  const id = await targets.create(gatewayId, { name: "pets", upstream });
  await at.agentcore.targets.idle();
  await targets.remove(gatewayId, id);
  await targets.remove(gatewayId, id);
  expect([await targets.status(gatewayId, id), await targets.find(gatewayId, "pets")]).toEqual([undefined, undefined]);
  expect(await targets.find("gone-0123456789", "pets")).toBeUndefined();
});
