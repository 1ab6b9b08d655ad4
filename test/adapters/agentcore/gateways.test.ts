import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { agentCoreGateways } from "../../../adapters/agentcore/gateways.ts";
import { agentCoreTargets } from "../../../adapters/agentcore/targets.ts";
import type { AgentCoreGateways } from "../../../domain/mcp/agentcore-gateways.ts";
import { gatewayName } from "../../../domain/mcp/names.ts";
import { agentCoreEndpoint } from "../../support/mcp/agentcore-endpoint.ts";

const discoveryUrl = "https://cognito-idp.eu-central-1.amazonaws.com/pool/.well-known/openid-configuration";
const interceptorArn = "arn:aws:lambda:eu-central-1:000000000000:function:interceptor";

let at: Awaited<ReturnType<typeof agentCoreEndpoint>>;
let gateways: AgentCoreGateways;

beforeEach(async () => {
  at = await agentCoreEndpoint();
  gateways = deployed(interceptorArn);
});
afterEach(() => at.close());

/** What a deployment of the stack with this interceptor would do. */
function deployed(interceptor: string): AgentCoreGateways {
  const options = {
    stack: "dev",
    roleArn: at.gatewayRole,
    interceptorArn: interceptor,
    discoveryUrl,
    clientForm: "clients",
  };
  return agentCoreGateways(options, at.client);
}

const design = { name: "acme", tenantId: "t1", clientIds: ["client-1", "client-2"] };

test("a gateway accepts its clients' tokens that name its workspace, speaks both eras of MCP, calls the interceptor, and is tagged", async () => {
  const id = await gateways.create(design);
  const [made] = at.agentcore.list().gateways;
  expect(made).toMatchObject({
    name: "acme",
    protocolType: "MCP",
    protocolConfiguration: { mcp: { supportedVersions: expect.arrayContaining(["2025-11-25", "2026-07-28"]) } },
    tags: { archway_stack: "dev", tenant_id: "t1" },
    authorizerConfiguration: {
      customJWTAuthorizer: {
        allowedClients: design.clientIds,
        customClaims: [{ authorizingClaimMatchValue: { claimMatchValue: { matchValueString: "t1" } } }],
      },
    },
    interceptorConfigurations: [{ interceptionPoints: ["REQUEST", "RESPONSE"] }],
  });
  expect(await gateways.find("acme")).toBe(id);
  expect(await gateways.find("other")).toBeUndefined();
  expect(await gateways.status(id)).toMatchObject({ state: "ready" });
});

test("a gateway's rate limit is created once, however often it is requested", async () => {
  const id = await gateways.create(design);
  await gateways.limit(id, "t1");
  await gateways.limit(id, "t1");
  expect(at.agentcore.list().gateways[0]?.rateLimits).toHaveLength(1);
});

test("a gateway with targets cannot be deleted yet, a gateway without targets can, and deleting it again is no error", async () => {
  const id = await gateways.create(design);
  const endpoint = "https://mcp.example.com/mcp";
  const targetId = await agentCoreTargets(at.client).create(id, { name: "pets", upstream: { endpoint } });
  expect([await gateways.targets(id), await gateways.remove(id)]).toEqual([[targetId], "busy"]);
  await gateways.removeTarget(id, targetId);
  await gateways.removeTarget(id, targetId);
  expect(await gateways.targets(id)).toEqual([]);
  await gateways.remove(id);
  expect([await gateways.remove(id), await gateways.status(id), await gateways.targets(id)]).toEqual([
    "gone",
    undefined,
    [],
  ]);
});

test("an account at its quota is distinguished from AgentCore not answering", async () => {
  at.agentcore.configure({ gatewayMs: 0, quotas: { gateways: 0 } });
  await expect(gateways.create(design)).rejects.toMatchObject({ code: "platform_full" });
  at.faults.put([{ service: "bedrock-agentcore", operation: "ListGateways", when: "before", kind: "error", times: 9 }]);
  await expect(gateways.find("acme")).rejects.toMatchObject({ code: "gateway_unavailable" });
});

test("a gateway whose answer was lost is found by its name", async () => {
  at.faults.put([{ service: "bedrock-agentcore", operation: "CreateGateway", when: "after", kind: "error", times: 9 }]);
  await expect(gateways.create(design)).rejects.toMatchObject({ code: "gateway_unavailable" });
  at.faults.clear();
  expect(at.agentcore.list().gateways).toMatchObject([{ gatewayId: await gateways.find("acme") }]);
});

test("a gateway of an earlier deployment is found and gets today's settings under its id; a gateway of another stack is not touched", async () => {
  const own = { ...design, name: gatewayName("dev", "9b2f0000-0000-4000-8000-0000000000ac") };
  const id = await deployed(`${interceptorArn}-of-before`).create(own);
  await deployed(`${interceptorArn}-of-before`).create({ ...design, name: "foreign" });
  // Settles by being read.
  await gateways.status(id);
  expect(await gateways.outdated()).toEqual([own.name]);
  await gateways.renew(id, own);
  const renewed = at.agentcore.list().gateways.find(({ gatewayId }) => gatewayId === id);
  expect(renewed).toMatchObject({ interceptorConfigurations: [{ interceptor: { lambda: { arn: interceptorArn } } }] });
  expect(renewed).toMatchObject({ tags: { tenant_id: "t1" }, updatedAt: expect.any(String) });
  await gateways.status(id);
  expect(await gateways.outdated()).toEqual([]);
  at.faults.put([
    { service: "bedrock-agentcore", operation: "UpdateGateway", when: "before", kind: "error", times: 9 },
  ]);
  await gateways.renew(id, own);
});
