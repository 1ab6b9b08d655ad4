// The runtime of an integration of a runtime provider: the provider's server, for this workspace's integration alone. Its settings are
// variables of it, so that another credential is another version of the runtime.
import type { AgentRuntimes, RuntimeDesign, RuntimeState } from "../marketplace/agent-runtimes.ts";
import { takenSettings } from "../marketplace/provider-settings.ts";
import { providers } from "../marketplace/providers.ts";
import type { TenantSecrets } from "../mcp/agentcore-gateways.ts";
import { type GatewayRun, NotReady, type WaitDependencies, waited } from "../mcp/job.ts";
import { runtimePrefix } from "../mcp/names.ts";
import type { McpServer, McpServerStore } from "./mcp-server.ts";
import { serverSecrets } from "./server-secret.ts";

export type ServerRuntimeDependencies = WaitDependencies & {
  runtimes: AgentRuntimes;
  secrets: TenantSecrets;
  mcpServers: Pick<McpServerStore, "change">;
  settings: { stack: string };
};

/** At most 48 letters, digits and underscores (API_CreateAgentRuntime.html). */
function runtimeName(stack: string, { server_id }: Pick<McpServer, "server_id">): string {
  return `${runtimePrefix(stack)}${server_id}`;
}

/** Begins to make the runtime unless there is one. @throws Refusal platform_full */
export async function beginRuntime(deps: ServerRuntimeDependencies, server: McpServer): Promise<string> {
  const known = await arnOf(deps, server);
  if (known !== undefined) return known;
  const arn = await deps.runtimes.create(await designOf(deps, server));
  await deps.mcpServers.change(server, { runtime_arn: arn });
  return arn;
}

/** Brings the runtime where the integration's present version wants it. @returns its ARN, or undefined if it does not run */
export async function bringRuntime(
  deps: ServerRuntimeDependencies,
  server: McpServer,
  within: Pick<GatewayRun, "until">,
): Promise<string | undefined> {
  const { runtimes } = deps;
  const known = await arnOf(deps, server);
  const state = known === undefined ? undefined : await settled(deps, known, within);
  // A runtime that never ran has no earlier version to go back to, so it is made anew.
  if (known !== undefined && state === "failed") await removeArn(deps, known, within);
  const isThere = known !== undefined && (state === "ready" || state === "unsuccessful");
  if (isThere) await runtimes.update(known, await designOf(deps, server));
  const arn = isThere ? known : await runtimes.create(await designOf(deps, server));
  if (arn !== server.runtime_arn) await deps.mcpServers.change(server, { runtime_arn: arn });
  return (await settled(deps, arn, within)) === "ready" ? arn : undefined;
}

/** Removes a runtime, and waits until it is gone. @throws NotReady */
export async function removeRuntime(
  deps: ServerRuntimeDependencies,
  server: McpServer,
  within: Pick<GatewayRun, "until">,
): Promise<void> {
  const arn = await arnOf(deps, server);
  if (arn !== undefined) await removeArn(deps, arn, within);
}

async function arnOf(
  { runtimes, settings }: ServerRuntimeDependencies,
  server: McpServer,
): Promise<string | undefined> {
  const { runtime_arn: noted } = server;
  if (noted !== undefined && (await runtimes.status(noted)) !== undefined) return noted;
  return runtimes.find(runtimeName(settings.stack, server));
}

async function designOf({ secrets, settings }: ServerRuntimeDependencies, server: McpServer): Promise<RuntimeDesign> {
  const { tenant_id: tenantId, provider_id: providerId = "", secret_version: version = 0 } = server;
  const provider = providers.find((one) => one.provider_id === providerId);
  const kept = await serverSecrets(secrets, settings.stack).readVersion(server, version);
  if (kept?.secret === undefined) throw new NotReady("the settings are not kept yet");
  const environment =
    provider?.kind === "runtime"
      ? { ...takenSettings(provider, kept.environment), [provider.secret_variable]: kept.secret }
      : {};
  return { name: runtimeName(settings.stack, server), tenantId, providerId, environment };
}

function removeArn(deps: ServerRuntimeDependencies, arn: string, within: Pick<GatewayRun, "until">): Promise<void> {
  const { runtimes } = deps;
  return waited(deps, within, "a runtime is still going", async () => {
    const state = await runtimes.status(arn);
    if (state === undefined) return { answer: undefined };
    if (state !== "going" && state !== "pending") await runtimes.remove(arn);
    return undefined;
  });
}

/** The state after AgentCore's work on it; undefined if it is gone. */
function settled(
  deps: ServerRuntimeDependencies,
  arn: string,
  within: Pick<GatewayRun, "until">,
): Promise<RuntimeState | undefined> {
  return waited(deps, within, "a runtime is not ready", async () => {
    const state = await deps.runtimes.status(arn);
    return state === "pending" || state === "going" ? undefined : { answer: state };
  });
}
