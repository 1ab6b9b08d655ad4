// What belongs to an integration and is too secret or too large for its record: the function `agentcore` keeps it, and queues the work.
import { Refusal } from "../kernel/refusal.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import { requireServer } from "./mcp-server.ts";
import type { ServerJobDependencies } from "./server-job.ts";
import { serverSecrets } from "./server-secret.ts";

export type ServerMaterial = {
  secret?: string | undefined;
  /** An OpenAPI document as JSON. */
  document?: string | undefined;
};

type Dependencies = ServerJobDependencies & { tenants: Pick<TenantStore, "get"> };

/** Keeps what the record's present version came with. May be repeated. @throws Refusal not_found, or workspace_incomplete without a key */
export async function applyServer(
  deps: Dependencies,
  { tenant_id, server_id }: { tenant_id: string; server_id: string },
  { secret, document }: ServerMaterial,
): Promise<void> {
  const { mcpServers, tenants, secrets, specs, jobs, settings } = deps;
  const server = await requireServer(mcpServers, tenant_id, server_id);
  const { secret_version: secretVersion, spec_version: specVersion } = server;
  if (secret !== undefined && secretVersion !== undefined) {
    const keyArn = (await tenants.get(tenant_id))?.kms_cmk_arn;
    if (keyArn === undefined) {
      const message = "The workspace's encryption key is still being made: try again in a few minutes";
      throw new Refusal("workspace_incomplete", message, { retryAfterSeconds: 60 });
    }
    await serverSecrets(secrets, settings.stack).keep(server, secretVersion, { secret, keyArn });
  }
  if (document !== undefined && specVersion !== undefined) await specs.put(server, specVersion, document);
  await jobs.send({ kind: "server", tenant_id, server_id });
}
