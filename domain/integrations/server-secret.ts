// The credentials of integrations: each version of one is a secret of its own under the tenant's key, to which a credential provider of
// its own points.
import * as z from "zod";
import type { TenantSecrets } from "../mcp/agentcore-gateways.ts";
import { secretName, stackMark } from "../mcp/names.ts";
import type { McpServer } from "./mcp-server.ts";

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

/** The secret parts of an integration: the credential, and the settings of a provider's server. */
export type ServerSecret = { secret?: string | undefined; environment?: Record<string, string> | undefined };

const documentSchema = z.object({
  [secretMember]: z.string().optional(),
  environment: z.record(z.string(), z.string()).optional(),
});

export function serverSecrets(secrets: TenantSecrets, stack: string) {
  /** The secret of a version; undefined if there is none. */
  async function readVersion(server: ServerKey, version: number): Promise<ServerSecret | undefined> {
    const kept = await secrets.read(serverSecretName(stack, server, version));
    if (kept === undefined) return undefined;
    const { api_key: secret, environment } = documentSchema.parse(JSON.parse(kept));
    return { secret, environment };
  }

  return {
    readVersion,

    async read(server: ServerKey & Pick<McpServer, "secret_version">): Promise<string | undefined> {
      return server.secret_version === undefined
        ? undefined
        : (await readVersion(server, server.secret_version))?.secret;
    },

    /** May be repeated. */
    async keep(
      server: ServerKey,
      version: number,
      { secret, environment, keyArn }: ServerSecret & { keyArn: string },
    ): Promise<void> {
      const name = serverSecretName(stack, server, version);
      const value = JSON.stringify({ [secretMember]: secret, environment });
      if ((await secrets.read(name)) !== undefined) return secrets.put(name, value);
      return secrets.create({ name, value, tenantId: server.tenant_id, keyArn });
    },

    remove: (server: ServerKey, version: number): Promise<void> =>
      secrets.remove(serverSecretName(stack, server, version)),
  };
}
