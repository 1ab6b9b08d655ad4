// Brings an integration where its record says it is to be. Every step is looked for before it is done and may be repeated, so that a run
// that was cut off anywhere goes on with the next one.

import type { Log } from "../kernel/log.ts";
import type { Queue } from "../kernel/queue.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { TenantSecrets } from "../mcp/agentcore-gateways.ts";
import { type GatewayLeaseDependencies, type GatewayStore, underLease } from "../mcp/gateway.ts";
import { type AgentCoreJob, type GatewayRun, NotReady, waited } from "../mcp/job.ts";
import { sentSecret } from "../upstream/upstream-auth.ts";
import type { AgentCoreTargets, CredentialProviders, TargetDesign, TargetStatus } from "./agentcore-targets.ts";
import { hasTaken, type McpServer, type McpServerStore } from "./mcp-server.ts";
import { beginRuntime, bringRuntime, removeRuntime, type ServerRuntimeDependencies } from "./server-runtime.ts";
import { providerName, secretMember, serverSecretName, serverSecrets } from "./server-secret.ts";
import type { SpecReader } from "./spec-check.ts";
import type { SpecStore } from "./spec-object.ts";

export type ServerJobDependencies = GatewayLeaseDependencies &
  ServerRuntimeDependencies & {
    mcpServers: Pick<McpServerStore, "get" | "all" | "change" | "due" | "remove">;
    store: Pick<GatewayStore, "get">;
    targets: AgentCoreTargets;
    providers: CredentialProviders;
    secrets: TenantSecrets;
    specs: SpecStore & Pick<SpecReader, "registered">;
    jobs: Pick<Queue<AgentCoreJob>, "send" | "sendAll">;
    settings: { stack: string };
    log: Log;
  };

type ServerJob = Extract<AgentCoreJob, { kind: "server" }>;

/** The longest time of a run, shorter than the function's time and the lease. */
const runMs = 80_000;
/**
 * If another run has the gateway, or AgentCore has too much to do, the job is queued again after this delay, up to this number of times.
 */
const retrySeconds = 5;
const mostAttempts = 60;
/** A request takes less time until its job is queued: what has waited for longer was cut off. */
const cutOffMs = 300_000;
const incompleteReason =
  "The request was cut off before all of it was kept: send it anew with PUT, credential and document included";

/** Carries out one job. It does nothing for an integration that needs nothing. */
export async function processServer(deps: ServerJobDependencies, job: ServerJob): Promise<void> {
  try {
    await underLease(deps, job.tenant_id, () => run(deps, job));
  } catch (error) {
    const { attempt = 1 } = job;
    const passes = error instanceof NotReady || (error instanceof Refusal && error.code !== "internal");
    if (!passes || attempt >= mostAttempts) throw error;
    await deps.jobs.send({ ...job, attempt: attempt + 1 }, retrySeconds);
  }
}

/** Removes all that a workspace's integrations have outside the table, and their records. To be called under the lease. */
export async function removeServers(deps: ServerJobDependencies, tenantId: string): Promise<boolean> {
  const gatewayId = (await deps.store.get(tenantId))?.gateway_id;
  const until = deps.clock() + runMs;
  for (const server of await deps.mcpServers.all(tenantId)) {
    if (!(await removeServer(deps, server, { gatewayId, until }))) return false;
  }
  return true;
}

async function run(deps: ServerJobDependencies, job: ServerJob): Promise<void> {
  const { mcpServers, store, clock } = deps;
  const server = await mcpServers.get(job.tenant_id, job.server_id);
  if (!server) return;
  const gateway = await store.get(job.tenant_id);
  const until = clock() + runMs;
  if (server.state === "deleting") {
    if (!(await removeServer(deps, server, { gatewayId: gateway?.gateway_id, until }))) throw new NotReady("it goes");
    return;
  }
  if (gateway?.state === "creating") throw new NotReady("the gateway is not ready");
  if (gateway?.state !== "ready" || gateway.gateway_id === undefined) {
    await mcpServers.change(
      server,
      { state: "failed", reason: "The workspace has no MCP gateway that is ready" },
      server.version,
    );
    return;
  }
  const within = { gatewayId: gateway.gateway_id, until };
  if (server.state === "ready" && hasTaken(server) && !hasRemains(server)) return;
  await apply(deps, server, within);
}

/** Queues a job for each integration whose work was cut off, whether its job was queued or not. */
export async function queueDueServers({ mcpServers, jobs, clock }: ServerJobDependencies): Promise<void> {
  const due: AgentCoreJob[] = [];
  const before = new Date(clock() - cutOffMs).toISOString();
  for await (const server of mcpServers.due(before)) due.push({ kind: "server", ...server });
  await jobs.sendAll(due);
}

/**
 * The order of a rotation (docs/decisions/0046): the new provider, the target moved onto it in place, ready, the old provider gone. Until
 * the target is ready on the new one, the old one serves its calls.
 */
async function apply(deps: ServerJobDependencies, server: McpServer, within: GatewayRun): Promise<void> {
  const { mcpServers, settings, log } = deps;
  if (!(await isComplete(deps, server))) {
    await mcpServers.change(server, { state: "failed", reason: incompleteReason }, server.version);
    return;
  }
  try {
    const upstream = await upstreamOf(deps, server, within);
    if (upstream === undefined) {
      await mcpServers.change(server, { state: "failed", reason: runtimeReason }, server.version);
      return;
    }
    const design = await designOf(deps, server, upstream);
    const targetId = await targetOf(deps, server, { ...within, design });
    const status = await settled(deps, targetId, within);
    if (status?.state !== "ready") {
      log.problem("A target could not be made", { server_id: server.server_id, ...status });
      await mcpServers.change(server, { state: "failed", reason: reasonOf(status) }, server.version);
      return;
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "platform_full") throw error;
    await mcpServers.change(server, { state: "failed", reason: error.message }, server.version);
    return;
  }
  const { secret_version: present, spec_version: presentSpec } = server;
  for (const version of server.provider_versions)
    if (version !== present) await removeCredential(deps, server, version);
  for (const version of server.spec_versions) if (version !== presentSpec) await deps.specs.remove(server, version);
  const done = {
    state: "ready" as const,
    reason: undefined,
    credential_provider_id:
      present === undefined || server.target_mode === "runtime"
        ? undefined
        : providerName(settings.stack, server, present),
    provider_versions: present === undefined ? [] : [present],
    spec_versions: presentSpec === undefined ? [] : [presentSpec],
    tools_taken_at: server.tools_found_at,
  };
  // A change that people made meanwhile has a job of its own, which also finds what this run did not note.
  await mcpServers.change(server, done, server.version);
}

/** False if the credential or document that people sent was not kept, because their request was cut off after the record was written. */
async function isComplete({ secrets, specs, settings }: ServerJobDependencies, server: McpServer): Promise<boolean> {
  const { secret_version: version, spec_version } = server;
  const secret = version !== undefined && (await serverSecrets(secrets, settings.stack).readVersion(server, version));
  return secret !== undefined && (spec_version === undefined || (await specs.registered(server)) !== undefined);
}

/** Begins what an account may have no room for: the runtime, or the credential's provider. @throws Refusal platform_full */
export async function beginServer(deps: ServerJobDependencies, server: McpServer): Promise<void> {
  if (server.target_mode === "runtime") await beginRuntime(deps, server);
  else await providerOf(deps, server);
}

/** The address that the target leads to; undefined for a provider's server that does not run. */
async function upstreamOf(
  deps: ServerJobDependencies,
  server: McpServer,
  within: GatewayRun,
): Promise<TargetDesign["upstream"] | undefined> {
  const { target_mode, endpoint = "" } = server;
  if (target_mode === "mcp_server") return { endpoint };
  if (target_mode === "openapi") {
    const spec = await deps.specs.registered(server);
    return { document: spec ? JSON.stringify(spec.document) : "" };
  }
  const runtimeArn = await bringRuntime(deps, server, within);
  return runtimeArn === undefined ? undefined : { runtimeArn };
}

async function designOf(
  deps: ServerJobDependencies,
  server: McpServer,
  upstream: TargetDesign["upstream"],
): Promise<TargetDesign> {
  const { name } = server;
  const credential = "runtimeArn" in upstream ? undefined : await providerOf(deps, server);
  return { name, upstream, ...(credential && { credential }) };
}

/** Finds the credential provider of a version, and makes it unless it exists. */
async function providerOf(
  { providers, settings }: ServerJobDependencies,
  server: McpServer,
): Promise<TargetDesign["credential"]> {
  const { secret_version: version } = server;
  const sent = sentSecret(server.auth);
  if (!sent || version === undefined) return undefined;
  const providerArn = await providers.ensure({
    name: providerName(settings.stack, server, version),
    tenantId: server.tenant_id,
    secret: { name: serverSecretName(settings.stack, server, version), member: secretMember },
  });
  return { ...sent, providerArn };
}

/** Makes the target, or moves it. One that never was ready is replaced: AgentCore says nothing of changes to it. */
async function targetOf(
  deps: ServerJobDependencies,
  server: McpServer,
  { design, ...within }: GatewayRun & { design: TargetDesign },
): Promise<string> {
  const { targets, mcpServers } = deps;
  const { gatewayId } = within;
  const known = server.gateway_target_id ?? (await targets.find(gatewayId, server.name));
  const status = known === undefined ? undefined : await settled(deps, known, within);
  if (known !== undefined && (status?.state === "ready" || status?.state === "unsuccessful")) {
    await targets.update(gatewayId, known, design);
    await mcpServers.change(server, { gateway_target_id: known });
    return known;
  }
  if (known !== undefined && status?.state === "stuck") throw new NotReady("the target waits for a sign-in");
  if (known !== undefined && status?.state === "failed") await removeTarget(deps, known, within);
  const made = await targets.create(gatewayId, design);
  await mcpServers.change(server, { gateway_target_id: made });
  return made;
}

async function removeServer(
  deps: ServerJobDependencies,
  server: McpServer,
  { gatewayId, until }: { gatewayId: string | undefined; until: number },
): Promise<boolean> {
  const { targets, mcpServers, specs, clock } = deps;
  try {
    if (gatewayId !== undefined) {
      const targetId = server.gateway_target_id ?? (await targets.find(gatewayId, server.name));
      if (targetId !== undefined) await removeTarget(deps, targetId, { gatewayId, until });
    }
    if (server.target_mode === "runtime") await removeRuntime(deps, server, { until });
  } catch (error) {
    if (error instanceof NotReady) return false;
    throw error;
  }
  for (const version of server.provider_versions) await removeCredential(deps, server, version);
  for (const version of server.spec_versions) await specs.remove(server, version);
  await mcpServers.remove(server, clock());
  return true;
}

/** Removes a version's credential provider, and then the secret that it points to. */
async function removeCredential(deps: ServerJobDependencies, server: McpServer, version: number): Promise<void> {
  const { providers, secrets, settings } = deps;
  await providers.remove(providerName(settings.stack, server, version));
  await serverSecrets(secrets, settings.stack).remove(server, version);
}

async function removeTarget(deps: ServerJobDependencies, targetId: string, within: GatewayRun): Promise<void> {
  const { targets } = deps;
  const { gatewayId } = within;
  await waited(deps, within, "a target is still going", async () => {
    const status = await targets.status(gatewayId, targetId);
    if (!status) return { answer: undefined };
    // AgentCore takes no removal of a target that it works on.
    if (status.state !== "going" && status.state !== "pending") await targets.remove(gatewayId, targetId);
    return undefined;
  });
}

/** The status after AgentCore's work on the target; undefined if it is gone. @throws NotReady if that takes longer than the run */
async function settled(
  deps: ServerJobDependencies,
  targetId: string,
  within: GatewayRun,
): Promise<TargetStatus | undefined> {
  return waited(deps, within, "a target is not ready", async () => {
    const status = await deps.targets.status(within.gatewayId, targetId);
    return status?.state === "pending" || status?.state === "going" ? undefined : { answer: status };
  });
}

function hasRemains({ provider_versions, spec_versions, secret_version, spec_version }: McpServer): boolean {
  return provider_versions.some((one) => one !== secret_version) || spec_versions.some((one) => one !== spec_version);
}

const runtimeReason = "The provider's server did not start: send its settings anew with PUT";

/** The reason that people are shown. AgentCore's own words may quote the upstream or name the account, so only the log has them. */
function reasonOf(status: TargetStatus | undefined): string {
  if (status?.state === "stuck") return "The server wants a sign-in by OAuth, which custom integrations cannot do";
  const advice = "Have it verified to see what it answers, then send it anew with PUT";
  return `The gateway could not list the server's tools. ${advice}`;
}
