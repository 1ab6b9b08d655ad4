// Registering an integration, changing it and removing it, as people ask for it. What is asked for is judged by `probe` before anything is
// kept; then it is written, and the function `agentcore` carries it out.
import type { Creation } from "../kernel/idempotency.ts";
import { preconditionFailed, requireVersion } from "../kernel/precondition.ts";
import { fieldRefusal, Refusal } from "../kernel/refusal.ts";
import { secretOf, type UpstreamAuthBody, withoutSecret } from "../upstream/upstream-auth.ts";
import { requireUpstreamUrl } from "../upstream/upstream-url.ts";
import type { ProbeOutcome } from "../upstream/verification.ts";
import { knownTools } from "../upstream/verification.ts";
import { type Author, entryBy } from "../workspace/audit.ts";
import type { Candidate, Examined } from "./examination.ts";
import type { GatewayStore } from "./gateway.ts";
import { type McpServer, type McpServerStore, requireServer } from "./mcp-server.ts";
import type { McpServerBody, McpServerChange } from "./server-body.ts";
import type { ServerMaterial } from "./server-material.ts";
import type { SpecUploads } from "./spec-object.ts";

/** The function `probe`, as it is asked. */
export interface ServerProbe {
  /** @throws Refusal invalid_request that names the field; gateway_unavailable if there is no answer in time */
  examine(tenantId: string, candidate: Candidate): Promise<Examined>;
  verify(tenantId: string, serverId: string): Promise<ProbeOutcome>;
}

/** The function `agentcore`, as it is asked. Each call throws Refusal gateway_unavailable if there is no answer in time. */
export interface ServerWork {
  applyServer(server: ServerKey, material: ServerMaterial): Promise<void>;
  removeServer(server: ServerKey): Promise<void>;
  synchronizeServer(server: ServerKey): Promise<void>;
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

/** @throws Refusal invalid_request, gateway_missing, integration_limit_reached, integration_name_taken, workspace_incomplete, gateway_unavailable */
export async function registerServer(
  deps: ServerChangeDependencies,
  author: Author,
  body: McpServerBody,
): Promise<Creation<McpServer>> {
  const { mcpServers, clock, newId } = deps;
  const { tenantId, sub } = author;
  await requireGateway(deps.mcpGateways, tenantId);
  const auth = withoutSecret(body.auth);
  const secret = requireSecret(body.auth);
  const examined = await deps.probe.examine(tenantId, candidateOf(deps, tenantId, body, { secret }));
  const create = async (serverId: string): Promise<McpServer> => {
    const now = new Date(clock()).toISOString();
    const isOpenApi = examined.document !== undefined;
    const server: McpServer = {
      server_id: serverId,
      tenant_id: tenantId,
      name: body.name,
      target_mode: body.target_mode,
      ...(body.endpoint !== undefined && { endpoint: body.endpoint }),
      auth,
      state: "creating",
      ...(secret !== undefined && { secret_version: 1, secret_set_at: now }),
      provider_versions: secret === undefined ? [] : [1],
      ...(isOpenApi && { spec_version: 1 }),
      spec_versions: isOpenApi ? [1] : [],
      known_tools: knownTools(examined.tools),
      created_at: now,
      created_by: sub,
      updated_at: now,
      version: 1,
    };
    const known = await mcpServers.get(tenantId, serverId);
    if (!known) await begin(deps, author, server);
    await deps.serverWork.applyServer(server, { secret, document: examined.document });
    return known ?? server;
  };
  return { newId: `srv_${newId().replaceAll("-", "")}`, create };
}

/** @throws Refusal not_found, invalid_request, secret_missing, integration_deleting, workspace_incomplete, precondition_failed, gateway_unavailable */
export async function changeServer(
  deps: ServerChangeDependencies,
  author: Author,
  serverId: string,
  { body, ifMatch }: { body: McpServerChange; ifMatch: readonly string[] | undefined },
): Promise<McpServer> {
  const { tenantId } = author;
  const server = await changeable(deps, author, serverId, ifMatch);
  await requireGateway(deps.mcpGateways, tenantId);
  const auth = withoutSecret(body.auth);
  const secret = secretOf(body.auth);
  const version = server.version + 1;
  if (auth.kind !== "none" && server.secret_version === undefined) requireSecret(body.auth);
  const asked = {
    ...body,
    target_mode: server.target_mode,
    name: server.name,
    endpoint: body.endpoint ?? server.endpoint,
  };
  const isExamined = server.target_mode === "mcp_server" || body.spec !== undefined || body.spec_uri !== undefined;
  const examined = isExamined
    ? await deps.probe.examine(tenantId, candidateOf(deps, tenantId, asked, { secret, serverId }))
    : undefined;
  const secretVersion = auth.kind === "none" ? undefined : secret === undefined ? server.secret_version : version;
  const specVersion = examined?.document === undefined ? server.spec_version : version;
  const now = new Date(deps.clock()).toISOString();
  const { reason: _, secret_version: __, spec_version: ___, secret_set_at: setAt, ...kept } = server;
  const next: McpServer = {
    ...kept,
    ...(asked.endpoint !== undefined && { endpoint: asked.endpoint }),
    auth,
    state: server.gateway_target_id === undefined ? "creating" : "updating",
    ...(secretVersion !== undefined && {
      secret_version: secretVersion,
      secret_set_at: secret === undefined ? setAt : now,
    }),
    provider_versions: withVersion(server.provider_versions, secretVersion),
    ...(specVersion !== undefined && { spec_version: specVersion }),
    spec_versions: withVersion(server.spec_versions, specVersion),
    ...(examined && { known_tools: knownTools(examined.tools) }),
    updated_at: now,
    version,
  };
  await write(deps, author, { before: server, after: next, action: "mcp_server.update" });
  await deps.serverWork.applyServer(next, { secret, document: examined?.document });
  return next;
}

/** May be repeated. @throws Refusal not_found, precondition_failed, gateway_unavailable */
export async function removeServer(
  deps: ServerChangeDependencies,
  author: Author,
  serverId: string,
  ifMatch: readonly string[] | undefined,
): Promise<void> {
  const server = await requireServer(deps.mcpServers, author.tenantId, serverId);
  if (server.state !== "deleting") {
    requireVersion(ifMatch, String(server.version));
    const now = new Date(deps.clock()).toISOString();
    const after: McpServer = { ...server, state: "deleting", updated_at: now, version: server.version + 1 };
    await write(deps, author, { before: server, after, action: "mcp_server.delete" });
  }
  await deps.serverWork.removeServer({ tenant_id: author.tenantId, server_id: serverId });
}

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
  { before, after, action }: { before: McpServer; after: McpServer; action: `mcp_server.${string}` },
): Promise<void> {
  const change = { action, target: after.server_id, before: audited(before), after: audited(after) };
  if (await deps.mcpServers.put(after, entryBy(deps, author, change))) return;
  throw preconditionFailed(String(after.version));
}

/** What people decide of an integration. */
function audited({ name, target_mode, endpoint, auth, secret_version, spec_version, state }: McpServer): object {
  return { name, target_mode, endpoint, auth, credential_version: secret_version, spec_version, state };
}

type Asked = Pick<McpServerBody, "target_mode" | "endpoint" | "spec" | "spec_uri" | "auth">;

function candidateOf(
  { specUploads }: Pick<ServerChangeDependencies, "specUploads">,
  tenantId: string,
  { target_mode, endpoint = "", spec, spec_uri, auth }: Asked,
  { secret, serverId }: { secret: string | undefined; serverId?: string },
): Candidate {
  if (target_mode === "mcp_server") {
    requireUpstreamUrl(endpoint, "endpoint");
    const kept = serverId === undefined ? {} : { server_id: serverId };
    return { target_mode, endpoint, auth: withoutSecret(auth), ...(secret !== undefined && { secret }), ...kept };
  }
  if (spec !== undefined) return { target_mode, spec: typeof spec === "string" ? spec : JSON.stringify(spec) };
  const upload = specUploads.uploadOf(tenantId, spec_uri ?? "");
  if (upload !== undefined) return { target_mode, upload };
  const message = "must be a spec_uri that POST /v1/mcp-specs gave this workspace";
  throw fieldRefusal("invalid_request", "spec_uri", message);
}

function requireSecret(auth: UpstreamAuthBody): string | undefined {
  const secret = secretOf(auth);
  if (auth.kind === "none" || secret !== undefined) return secret;
  throw fieldRefusal("invalid_request", "auth.secret", "is required");
}

function withVersion(versions: readonly number[], version: number | undefined): number[] {
  return version === undefined || versions.includes(version) ? [...versions] : [...versions, version];
}
