// The owner's rules while others change the same at that moment.
import { expect, test } from "@jest/globals";
import type { LeftRules, McpServer } from "../../../domain/integrations/mcp-server.ts";
import { endLeftRules, hostsOf, rulesAfter } from "../../../domain/integrations/owner-rules.ts";
import { aServer } from "../../support/mcp/mcp-server-world.ts";
import { aRegisteredSpec } from "../../support/mcp/registered-spec.ts";

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

test("the owner's rules apply to the host of an API's tools, and to the provider's host", () => {
  const none = { endpoint: undefined, providerId: undefined, spec: undefined };
  const spec = aRegisteredSpec("Pets", "https://API.one.example.:8443/v1");
  expect(hostsOf({ ...none, spec })).toEqual(["api.one.example"]);
  expect(hostsOf({ ...none, providerId: "tavily" })).toEqual(["api.tavily.com"]);
  expect(hostsOf({ ...none, endpoint: "https://[2606:4700::1111]/mcp" })).toEqual(["2606:4700::1111"]);
});

const at = (server_id: string, name: string, ...hosts: string[]) => ({ ...aServer({ server_id, name }), hosts });
const worldOf = (...living: McpServer[]) => ({
  mcpServers: { all: async () => living, leftRules: async () => [] },
  clock: () => 0,
});

test("the owner's rules of a host apply to a developer's integration that moves there with one of its hosts", async () => {
  const world = worldOf({ ...at("srv_ruled", "ruled", "one.example", "two.example"), owner_rules });
  const server = at("srv_own", "own", "own.example", "two.example");
  const moved = await rulesAfter(world, developer, { ...asked, server, before: at("srv_own", "own", "own.example") });
  expect(moved.owner_rules).toEqual(owner_rules);
  const stayed = await rulesAfter(world, developer, { ...asked, server, before: server });
  expect(stayed.owner_rules).toBeUndefined();
});

test("the owner's offer applies to a developer's integration that has at least one of the offered tools", async () => {
  const rulesOf = (offered: string[]) =>
    rulesAfter(worldOf({ ...ruled, owner_rules: { offered, owners_only: [] } }), developer, asked);
  expect((await rulesOf(["feed", "gone"])).owner_rules).toEqual({ offered: ["feed", "gone"], owners_only: [] });
  await expect(rulesOf(["gone"])).rejects.toMatchObject({ code: "role_missing", fields: [{ path: "tools" }] });
});

test("rules that a removed integration left end only for an integration with its name and one of its hosts", async () => {
  const ended: string[] = [];
  const left = [
    at("srv_same", "pets", "one.example", "two.example"),
    at("srv_elsewhere", "pets", "three.example"),
    at("srv_named", "cats", "one.example"),
  ];
  const mcpServers = {
    leftRules: async () => left.map((server) => ({ ...server, owner_rules })),
    endLeftRules: async (_tenantId: string, serverId: string) => void ended.push(serverId),
  };
  await endLeftRules({ mcpServers, clock: () => 0 }, at("srv_new", "pets", "two.example"));
  expect(ended).toEqual(["srv_same"]);
});
