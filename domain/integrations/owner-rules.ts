// The owner's rules of tools. Others may narrow them and not lift them: the rules hold for whatever others register at the same host, too, and
// stay with name and host for 30 days after a removal. A host is one whatever the port, and a provider of the marketplace is at its hosts.
import type { Actor } from "../access/access-rule.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import { requireProvider } from "../marketplace/providers.ts";
import type { RegisteredSpec } from "../openapi/registered-spec.ts";
import { isOpen, strictest, type ToolRules, widerThan } from "../tools/tool-rules.ts";
import { hostOf } from "../upstream/upstream-url.ts";
import type { LeftRules, McpServer, McpServerStore } from "./mcp-server.ts";
import type { McpServerChange } from "./server-body.ts";

type Dependencies = { mcpServers: Pick<McpServerStore, "all" | "leftRules">; clock: () => number };

/**
 * What a request asks of an integration.
 * @property server as it will be
 * @property before as it is; undefined for a new one
 * @property known names of its tools
 * @property source the body, which may bring a document
 */
type Asked = {
  server: Pick<McpServer, "server_id" | "name" | "hosts">;
  before?: McpServer;
  rules: ToolRules | undefined;
  known: readonly string[];
  source: Pick<McpServerChange, "spec" | "spec_uri">;
};

export type KeptRules = { tool_rules: ToolRules | undefined; owner_rules: ToolRules | undefined };

/** The hosts that an integration's tools call. */
export function hostsOf({
  endpoint,
  providerId,
  spec,
}: {
  endpoint: string | undefined;
  providerId: string | undefined;
  spec: RegisteredSpec | undefined;
}): string[] {
  const checked = providerId === undefined ? undefined : requireProvider(providerId).check.url;
  const addresses = [endpoint, checked, spec?.report.base_url];
  return [...new Set(addresses.flatMap((address) => (address === undefined ? [] : hostOf(new URL(address)))))];
}

/** The rules of an integration after a request. @throws Refusal role_missing */
export async function rulesAfter(deps: Dependencies, actor: Actor, asked: Asked): Promise<KeptRules> {
  const { server, before, known } = asked;
  const kept = { tool_rules: before?.tool_rules, owner_rules: before?.owner_rules };
  if (actor.role === "owner") return asked.rules ? rulesOfOwner(asked.rules) : kept;
  if (kept.owner_rules) return asked.rules ? within(kept.owner_rules, asked.rules, known) : kept;
  const isNewPlace = !before || server.hosts.some((host) => !before.hosts.includes(host));
  const held = isNewPlace ? await heldRules(deps, actor.tenantId, server) : [];
  const rules = asked.rules ?? kept.tool_rules;
  const owners = strictest(held.map(({ owner_rules }) => owner_rules));
  if (!owners) return { tool_rules: rules, owner_rules: undefined };
  requireBindable(owners, held, asked);
  return within(owners, rules, known);
}

/**
 * Rules name tools: they bind nothing whose tools' names the person writes in a document, and nothing is left where they offer other tools.
 * @throws Refusal role_missing
 */
function requireBindable(owners: ToolRules, held: readonly LeftRules[], { server, source, known }: Asked): void {
  const [first] = held;
  const host = server.hosts.find((one) => first?.hosts.includes(one));
  const because = `the owner's rules of ${first?.name} hold for ${host ?? "this name"}`;
  const document = (["spec", "spec_uri"] as const).find((field) => source[field] !== undefined);
  if (document) throw fieldRefusal("role_missing", document, `only the owner brings a document here: ${because}`);
  if (!owners.offered || owners.offered.some((name) => known.includes(name))) return;
  throw fieldRefusal("role_missing", "tools", `${because} and leave none of its tools: only the owner adds it`);
}

/**
 * Under the owner's rules the owner alone decides where an integration leads and which names its tools have: elsewhere the rules would hold nobody.
 * @throws Refusal role_missing that names the field
 */
export function requireStay(actor: Actor, server: McpServer, { endpoint, spec, spec_uri }: McpServerChange): void {
  if (actor.role === "owner" || !server.owner_rules) return;
  const moved = { endpoint: endpoint === server.endpoint ? undefined : endpoint, spec, spec_uri };
  const [field] = Object.entries(moved).find(([, value]) => value !== undefined) ?? [];
  if (field === undefined) return;
  throw fieldRefusal("role_missing", field, "only the owner changes it while the owner's rules of its tools hold");
}

/** An owner who gives rules to what has the name and a host of a removed integration decides in its place: the rules that it left end. */
export async function endLeftRules(
  { mcpServers, clock }: { mcpServers: Pick<McpServerStore, "leftRules" | "endLeftRules">; clock: () => number },
  server: McpServer,
): Promise<void> {
  for (const left of await mcpServers.leftRules(server.tenant_id, clock())) {
    const isSame = left.name === server.name && sharesHost(left, server);
    if (isSame) await mcpServers.endLeftRules(server.tenant_id, left.server_id);
  }
}

/** A record with these rules in place of its own. */
export function withRules({ tool_rules: _, owner_rules: __, ...server }: McpServer, kept: KeptRules): McpServer {
  const { tool_rules, owner_rules } = kept;
  return { ...server, ...(tool_rules && { tool_rules }), ...(owner_rules && { owner_rules }) };
}

function rulesOfOwner(rules: ToolRules | undefined): KeptRules {
  return { tool_rules: rules, owner_rules: rules && isOpen(rules) ? undefined : rules };
}

function within(owners: ToolRules, rules: ToolRules | undefined, known: readonly string[]): KeptRules {
  const wider = rules && widerThan(owners, rules, known);
  if (wider) throw fieldRefusal("role_missing", wider.path, wider.message);
  // A rule of the owner's for a tool that is gone for now is not named, and stays.
  return { tool_rules: strictest(rules ? [rules, owners] : [owners]), owner_rules: owners };
}

/** The integrations whose owner's rules hold for a name and hosts. One that goes meanwhile is found in one of the two places, in this order. */
async function heldRules(
  { mcpServers, clock }: Dependencies,
  tenantId: string,
  { server_id, name, hosts }: Asked["server"],
): Promise<LeftRules[]> {
  const living = await mcpServers.all(tenantId);
  const left = await mcpServers.leftRules(tenantId, clock());
  const ruled = living.flatMap(({ owner_rules, ...server }) =>
    owner_rules && server.server_id !== server_id ? [{ ...server, owner_rules }] : [],
  );
  return [...ruled, ...left].filter((one) => one.name === name || sharesHost(one, { hosts }));
}

function sharesHost(one: Pick<McpServer, "hosts">, other: Pick<McpServer, "hosts">): boolean {
  return one.hosts.some((host) => other.hosts.includes(host));
}
