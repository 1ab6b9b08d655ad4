// The owner's rules while others change the same at that moment.
import { expect, test } from "@jest/globals";
import type { LeftRules, McpServer } from "../../../domain/integrations/mcp-server.ts";
import { hostsOf, rulesAfter } from "../../../domain/integrations/owner-rules.ts";
import { aServer } from "../../support/mcp/mcp-server-world.ts";

const developer = { tenantId: "t1", sub: "ben", role: "developer" } as const;
const owner_rules = { owners_only: ["feed"] };
const ruled = { ...aServer({ server_id: "srv_ruled" }), owner_rules };
const asked = { server: aServer({ server_id: "srv_new", name: "new" }), rules: undefined, known: ["feed"], source: {} };

test("the owner's rules apply to a registration at every moment while the integration that they belong to is being removed", async () => {
  for (let goneAt = 0; goneAt <= 2; goneAt++) {
    let reads = 0;
    const isGone = () => reads++ >= goneAt;
    const mcpServers = {
      all: async (): Promise<McpServer[]> => (isGone() ? [] : [ruled]),
      leftRules: async (): Promise<LeftRules[]> => (isGone() ? [ruled] : []),
    };
    const kept = await rulesAfter({ mcpServers, clock: () => 0 }, developer, asked);
    expect([goneAt, kept.owner_rules]).toEqual([goneAt, owner_rules]);
  }
});

test("the owner's rules apply to each host that an API's document names, and to the provider's host", () => {
  const servers = [{ url: "https://API.one.example:8443/v1" }, { url: "https://two.example./" }];
  const operation = { operationId: "a", servers: [{ url: "https://three.example" }], responses: {} };
  const document = JSON.stringify({ openapi: "3.0.3", servers, paths: { "/": { get: operation } } });
  const none = { endpoint: undefined, providerId: undefined, document: undefined };
  expect(hostsOf({ ...none, document })).toEqual(["api.one.example", "two.example", "three.example"]);
  expect(hostsOf({ ...none, providerId: "tavily" })).toEqual(["api.tavily.com"]);
  expect(hostsOf({ ...none, endpoint: "https://[2606:4700::1111]/mcp" })).toEqual(["2606:4700::1111"]);
});
