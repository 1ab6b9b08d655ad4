// Registering an integration, changing it and removing it, as people ask for it. What is asked for is judged by `probe` before anything is
// kept; then it is written, and the function `agentcore` carries it out.
import type { Actor } from "../access/access-rule.ts";
import type { Creation } from "../kernel/idempotency.ts";
import { preconditionFailed, requireVersion } from "../kernel/precondition.ts";
import { fieldRefusal, Refusal } from "../kernel/refusal.ts";
import type { GatewayStore } from "../mcp/gateway.ts";
import type { SpecReport } from "../openapi/report.ts";
import { requireKnownTools } from "../tools/tool-rules.ts";
import type { ProbeOutcome } from "../upstream/verification.ts";
import { knownTools } from "../upstream/verification.ts";
import { type Author, entryBy } from "../workspace/audit.ts";
import type { AuditAction } from "../workspace/audit-actions.ts";
import type { Candidate, Examined } from "./examination.ts";
import { type McpServer, type McpServerStore, requireServer, type ServerMaterial } from "./mcp-server.ts";
import { endLeftRules, hostsOf, requireStay, rulesAfter, withRules } from "./owner-rules.ts";
import type { McpServerBody, McpServerChange } from "./server-body.ts";
import { changedRecord, registeredName, unregistered } from "./server-record.ts";
import { changeCandidate, registrationCandidate } from "./server-request.ts";
import type { SpecCandidate, SpecCheck } from "./spec-check.ts";
import type { SpecUploads } from "./spec-object.ts";

/** Asks the function `probe`. */
export interface ServerProbe {
  /** @throws Refusal invalid_request that names the field; gateway_unavailable if there is no answer in time */
  examine(tenantId: string, candidate: Candidate): Promise<Examined>;
  /** @throws Refusal invalid_request that names the field; gateway_unavailable if there is no answer in time */
  check(tenantId: string, candidate: SpecCandidate): Promise<SpecCheck>;
  /** Undefined for an integration without a document. @throws Refusal gateway_unavailable */
  report(tenantId: string, serverId: string): Promise<SpecReport | undefined>;
  verify(tenantId: string, serverId: string): Promise<ProbeOutcome>;
}

/** The function `agentcore`, as it is asked. Each call throws Refusal gateway_unavailable if there is no answer in time. */
export interface ServerWork {
  applyServer(server: ServerKey, material: ServerMaterial): Promise<void>;
  removeServer(server: ServerKey): Promise<void>;
}

type ServerKey = Pick<McpServer, "tenant_id" | "server_id">;

export type ServerChangeDependencies = {
  mcpServers: McpServerStore;
  mcpGateways: Pick<GatewayStore, "get">;
  probe: ServerProbe;
  serverWork: ServerWork;
  /** Undefined in tests that upload nothing. */
  specUploads: Pick<SpecUploads, "uploadOf">;
  clock: () => number;
  newId: () => string;
};

/** A gateway takes 100 targets (docs of AgentCore, "Quotas"). */
const mostServers = 100;

/** @throws Refusal gateway_missing */
export async function requireGateway(gateways: Pick<GatewayStore, "get">, tenantId: string): Promise<void> {
  const gateway = await gateways.get(tenantId);
  if (gateway !== undefined && gateway.state !== "deleting") return;
  throw new Refusal(
    "gateway_missing",
    "The workspace has no MCP gateway: its owner creates it with POST /v1/mcp-gateway",
  );
}

/** @throws Refusal invalid_request, role_missing, gateway_missing, integration_limit_reached, integration_name_taken, workspace_incomplete, platform_full, gateway_unavailable */
export async function registerServer(
  deps: ServerChangeDependencies,
  author: Actor,
  body: McpServerBody,
): Promise<Creation<McpServer>> {
  const { mcpServers, clock, newId } = deps;
  const { tenantId, sub } = author;
  await requireGateway(deps.mcpGateways, tenantId);
  const candidate = registrationCandidate(deps.specUploads, tenantId, body);
  const found = await deps.probe.examine(tenantId, candidate);
  const { tools, spec } = found;
  const { secret } = candidate;
  const { provider_id: providerId, tools: rules } = body;
  const entries = providerId === undefined ? undefined : (body.extra_env_entries ?? []);
  const known = tools.map(({ name }) => name);
  if (rules) requireKnownTools(rules, known);
  const newServerId = `srv_${newId().replaceAll("-", "")}`;
  const hosts = hostsOf({ endpoint: body.endpoint, providerId, spec });
  const place = { server_id: newServerId, name: registeredName(body), hosts };
  const kept = await rulesAfter(deps, author, { server: place, rules, known, source: body });
  const create = async (serverId: string): Promise<McpServer> => {
    const now = clock();
    const first = unregistered(body, { tenant_id: tenantId, server_id: serverId, created_by: sub }, now);
    const made = changedRecord(first, { candidate, entries, examined: found, hosts, state: first.state }, now);
    const server = withRules(made, kept);
    const before = await mcpServers.get(tenantId, serverId);
    if (!before) await begin(deps, author, server);
    try {
      await deps.serverWork.applyServer(server, { version: server.version, secret, entries, spec });
    } catch (error) {
      // An integration for which the account has no room is removed again at once.
      if (isFull(error)) await removeServer(deps, author, serverId, undefined);
      throw error;
    }
    if (rules && author.role === "owner") await endLeftRules(deps, server);
    return before ?? server;
  };
  return { newId: newServerId, create };
}

/** @throws Refusal not_found, invalid_request, role_missing, gateway_missing, secret_missing, integration_deleting, workspace_incomplete, platform_full, precondition_failed, gateway_unavailable */
export async function changeServer(
  deps: ServerChangeDependencies,
  author: Actor,
  serverId: string,
  { body, ifMatch }: { body: McpServerChange; ifMatch: readonly string[] | undefined },
): Promise<McpServer> {
  const { tenantId } = author;
  const server = await changeable(deps, author, serverId, ifMatch);
  await requireGateway(deps.mcpGateways, tenantId);
  requireStay(author, server, body);
  const candidate = changeCandidate(deps.specUploads, server, body);
  const found = candidate === undefined ? { tools: [] } : await deps.probe.examine(tenantId, candidate);
  const { spec } = found;
  const secret = candidate?.secret;
  const { extra_env_entries: entries, tools: rules, endpoint = server.endpoint } = body;
  const known = candidate === undefined ? server.known_tools : knownTools(found.tools);
  const names = Object.keys(known);
  if (rules) requireKnownTools(rules, names);
  const isMoved = endpoint !== server.endpoint || spec !== undefined;
  const hosts = isMoved ? hostsOf({ endpoint, providerId: server.provider_id, spec }) : server.hosts;
  const place = { ...server, hosts };
  const keptRules = await rulesAfter(deps, author, {
    server: place,
    before: server,
    rules,
    known: names,
    source: body,
  });
  const changed = changedRecord(
    server,
    { candidate, entries, examined: found, hosts, state: stateAfter(server, body) },
    deps.clock(),
  );
  const next = withRules(changed, keptRules);
  await write(deps, author, { before: server, after: next, action: "mcp_server.update" });
  try {
    // A provider's settings that are not given again stay.
    const isNewSecret = secret !== undefined || entries !== undefined;
    const base = isNewSecret && server.provider_id !== undefined ? server.secret_version : undefined;
    await deps.serverWork.applyServer(next, { version: next.version, secret, entries, spec, base });
  } catch (error) {
    if (isFull(error)) await takeBack(deps, author, { before: server, after: next });
    throw error;
  }
  if (rules && author.role === "owner") await endLeftRules(deps, next);
  return next;
}

/** Which tools are offered to whom is a rule of ours, and changes nothing at AgentCore. */
function stateAfter({ state, gateway_target_id }: McpServer, { tools: _, ...others }: McpServerChange) {
  if (Object.values(others).every((value) => value === undefined) && state !== "failed") return state;
  return gateway_target_id === undefined ? "creating" : "updating";
}

/** Restores the earlier version: its job removes what the new version began. */
async function takeBack(
  deps: ServerChangeDependencies,
  author: Author,
  { before, after }: { before: McpServer; after: McpServer },
): Promise<void> {
  const { provider_versions, spec_versions } = after;
  const state = before.gateway_target_id === undefined ? "creating" : "updating";
  const now = new Date(deps.clock()).toISOString();
  const version = after.version + 1;
  const back: McpServer = { ...before, state, provider_versions, spec_versions, updated_at: now, version };
  await write(deps, author, { before: after, after: back, action: "mcp_server.update" });
  await deps.serverWork.applyServer(back, { version });
}

function isFull(error: unknown): boolean {
  return error instanceof Refusal && error.code === "platform_full";
}

/** May be repeated, also once the integration is gone. @throws Refusal not_found, precondition_failed, gateway_unavailable */
export async function removeServer(
  deps: ServerChangeDependencies,
  author: Author,
  serverId: string,
  ifMatch: readonly string[] | undefined,
): Promise<void> {
  const { mcpServers } = deps;
  if (await mcpServers.wasRemoved(author.tenantId, serverId)) return requireVersion(ifMatch, noVersion);
  const server = await requireServer(mcpServers, author.tenantId, serverId);
  requireVersion(ifMatch, String(server.version));
  if (server.state !== "deleting") {
    const now = new Date(deps.clock()).toISOString();
    const after: McpServer = { ...server, state: "deleting", updated_at: now, version: server.version + 1 };
    await write(deps, author, { before: server, after, action: "mcp_server.delete" });
  }
  await deps.serverWork.removeServer({ tenant_id: author.tenantId, server_id: serverId });
}

/** Version of an integration that does not exist any more. */
const noVersion = "0";

async function begin(deps: ServerChangeDependencies, author: Author, server: McpServer): Promise<void> {
  const others = await deps.mcpServers.all(author.tenantId);
  if (others.length >= mostServers) {
    throw new Refusal(
      "integration_limit_reached",
      `The workspace has ${mostServers} integrations, which is the most of a gateway`,
    );
  }
  const entry = entryBy(deps, author, {
    action: "mcp_server.create",
    target: server.server_id,
    after: audited(server),
  });
  if (await deps.mcpServers.put(server, entry)) return;
  const message = `an integration named ${server.name} is there already: change it with PUT, or choose another name`;
  throw fieldRefusal("integration_name_taken", "name", message);
}

async function changeable(
  { mcpServers }: ServerChangeDependencies,
  { tenantId }: Author,
  serverId: string,
  ifMatch: readonly string[] | undefined,
): Promise<McpServer> {
  const server = await requireServer(mcpServers, tenantId, serverId);
  if (server.state === "deleting") throw new Refusal("integration_deleting", "The integration is being deleted");
  requireVersion(ifMatch, String(server.version));
  return server;
}

async function write(
  deps: ServerChangeDependencies,
  author: Author,
  { before, after, action }: { before: McpServer; after: McpServer; action: AuditAction },
): Promise<void> {
  const change = { action, target: after.server_id, before: audited(before), after: audited(after) };
  if (await deps.mcpServers.put(after, entryBy(deps, author, change))) return;
  throw preconditionFailed(String(after.version));
}

/** The fields of an integration that people decide, for the audit trail. */
function audited(server: McpServer): object {
  const { name, provider_id, target_mode, endpoint, auth, secret_version, extra_env_names, spec_version } = server;
  const { tool_rules: tools, owner_rules, state } = server;
  const { base_url, operations } = server;
  const source = { name, provider_id, target_mode, endpoint, base_url, operations, auth };
  return { ...source, credential_version: secret_version, extra_env_names, spec_version, tools, owner_rules, state };
}
