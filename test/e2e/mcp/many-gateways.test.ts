// Many workspaces, each with a gateway: everybody signs in at their own, and at no other. A user pool has 20 styles of its pages, 300
// resource servers and two clients for each gateway, so that a shared means would run out.
import { beforeAll, expect, test } from "@jest/globals";
import type { Stack } from "../../../local/stack.ts";
import { ask, connectorToken } from "../../support/mcp/connector.ts";
import { outsideOf, readyGateway, toolWorkspace } from "../../support/mcp/tool-workspace.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { sizes } from "../../support/sizes.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack();
});

test(`${sizes.gatewayTenants} people sign in to as many gateways, and each gateway accepts only its own people`, async () => {
  const parties: { endpoint: string; token: string; tenantId: string }[] = [];
  for (let number = 1; number <= sizes.gatewayTenants; number++) {
    const { owner, tenantId } = await toolWorkspace(stack, `owner-${number}@many.example`);
    const { state: _, ...gateway } = await readyGateway(stack, owner);
    parties.push({ tenantId, endpoint: gateway.endpoint, token: await connectorToken(gateway, owner) });
    // AgentCore takes five changes in a second.
    stack.clock.advance(1_000);
  }
  expect(new Set(parties.map(({ endpoint }) => endpoint)).size).toBe(sizes.gatewayTenants);
  for (const [place, { endpoint, token, tenantId }] of parties.entries()) {
    expect((await outsideOf(stack, tenantId)).gateways).toBe(1);
    const own = await ask(endpoint, token, "tools/list");
    expect([own.status, own.message.result.tools]).toEqual([200, []]);
    const next = parties[(place + 1) % parties.length];
    expect((await ask(next?.endpoint ?? "", token, "tools/list")).status).toBe(401);
  }
});
