// Whose workspace a token is for: of the platform's own clients where the person works, of a connector its gateway's and no other.

import { activeWorkspace, type Workspace } from "../workspace/active-workspace.ts";
import type { Tenant } from "../workspace/tenant.ts";
import type { UserRecord } from "../workspace/user.ts";
import type { RegisteredClient } from "./registered-client.ts";

export interface TokenFacts {
  /** The client if it is one of the platform's or of a gateway, and those of the tenants that exist. @throws Refusal store_unavailable */
  read(clientId: string, tenantIds: string[]): Promise<{ client: RegisteredClient | undefined; tenants: Tenant[] }>;
}

/**
 * None for a client that nobody registered, and for people without a workspace, or of another one than the connector's.
 * One call to the store for up to 99 workspaces, deleted ones too.
 */
export async function tokenWorkspace(
  facts: TokenFacts,
  record: UserRecord,
  clientId: string,
): Promise<{ client: RegisteredClient | undefined; workspace: Workspace | undefined }> {
  const active = record.memberships.filter(({ status }) => status === "active");
  const { client, tenants } = await facts.read(
    clientId,
    active.map(({ tenant_id }) => tenant_id),
  );
  const tenantOf = new Map(tenants.map((tenant) => [tenant.tenant_id, tenant]));
  const read = { get: async (tenantId: string) => tenantOf.get(tenantId) };
  if (!client) return { client, workspace: undefined };
  if (client.use !== "connector") return { client, workspace: await activeWorkspace(record, clientId, read) };
  const memberships = active.filter(({ tenant_id }) => tenant_id === client.tenant_id);
  return { client, workspace: await activeWorkspace({ ...record, memberships }, clientId, read) };
}
