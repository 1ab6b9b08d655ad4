// What belongs to an integration and is too secret or too large for its record: the function `agentcore` keeps it, begins what the account
// may have no room for, and queues the rest.
import { Refusal } from "../kernel/refusal.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import { type McpServer, requireServer, type ServerMaterial } from "./mcp-server.ts";
import { beginServer, type ServerJobDependencies } from "./server-job.ts";
import { serverSecrets } from "./server-secret.ts";

type Dependencies = ServerJobDependencies & { tenants: Pick<TenantStore, "get"> };

/** May be repeated. @throws Refusal not_found, integration_deleting, workspace_incomplete without a key, platform_full */
export async function applyServer(
  deps: Dependencies,
  { tenant_id, server_id }: { tenant_id: string; server_id: string },
  material: ServerMaterial,
): Promise<void> {
  const { mcpServers, specs, jobs } = deps;
  const { version, spec, secret, entries } = material;
  const server = await requireServer(mcpServers, tenant_id, server_id);
  if (server.state === "deleting") throw new Refusal("integration_deleting", "The integration is being deleted");
  const isGiven = secret !== undefined || entries !== undefined;
  if (isGiven && server.secret_version === version) await keepSecret(deps, server, material);
  if (spec !== undefined && server.spec_version === version) await specs.put(server, version, spec);
  await beginServer(deps, server);
  await jobs.send({ kind: "server", tenant_id, server_id });
}

async function keepSecret(
  { tenants, secrets, settings }: Dependencies,
  server: McpServer,
  { version, secret, entries, base }: ServerMaterial,
): Promise<void> {
  const keyArn = (await tenants.get(server.tenant_id))?.kms_cmk_arn;
  if (keyArn === undefined) {
    const message = "The workspace's encryption key is still being made: try again in a few minutes";
    throw new Refusal("workspace_incomplete", message);
  }
  const kept = serverSecrets(secrets, settings.stack);
  const before = base === undefined ? undefined : await kept.readVersion(server, base);
  const given = entries && Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  const environment = given ?? before?.environment;
  await kept.keep(server, version, { secret: secret ?? before?.secret, environment, keyArn });
}
