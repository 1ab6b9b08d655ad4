// The credentials of integrations: each version of one is a secret of its own under the tenant's key, to which a credential provider of
// its own points.
import type { TenantSecrets } from "./agentcore-gateways.ts";
import type { McpServer } from "./mcp-server.ts";
import { secretName, stackMark } from "./names.ts";

type ServerKey = Pick<McpServer, "tenant_id" | "server_id">;

/** The member of the secret's JSON that AgentCore sends. */
export const secretMember = "api_key";

export function serverSecretName(stack: string, { tenant_id, server_id }: ServerKey, version: number): string {
  return secretName(stack, tenant_id, `server/${server_id}/${version}`);
}

/** At most 50 characters (AgentCore's console), though the model says 128. */
export function providerName(stack: string, { server_id }: Pick<ServerKey, "server_id">, version: number): string {
  return `${stackMark(stack)}-${server_id}-${version}`;
}

export function serverSecrets(secrets: TenantSecrets, stack: string) {
  return {
    async read(server: ServerKey & Pick<McpServer, "secret_version">): Promise<string | undefined> {
      if (server.secret_version === undefined) return undefined;
      const kept = await secrets.read(serverSecretName(stack, server, server.secret_version));
      return kept === undefined ? undefined : String((JSON.parse(kept) as Record<string, unknown>)[secretMember]);
    },

    /** May be repeated. */
    async keep(
      server: ServerKey,
      version: number,
      { secret, keyArn }: { secret: string; keyArn: string },
    ): Promise<void> {
      const name = serverSecretName(stack, server, version);
      const value = JSON.stringify({ [secretMember]: secret });
      if ((await secrets.read(name)) !== undefined) return secrets.put(name, value);
      return secrets.create({ name, value, tenantId: server.tenant_id, keyArn });
    },

    remove: (server: ServerKey, version: number): Promise<void> =>
      secrets.remove(serverSecretName(stack, server, version)),
  };
}
