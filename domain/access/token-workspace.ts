// The workspace that a token names: for the platform's own clients the one in which the person works, for a connector only that of its
// gateway.

import { activeWorkspace, type Workspace } from "../people/active-workspace.ts";
import type { UserRecord } from "../people/user.ts";
import type { Tenant } from "../workspace/tenant.ts";
import type { RegisteredClient } from "./registered-client.ts";

export interface TokenFacts {
  /** Reads the client's record, if it has one, and the tenants that exist. @throws Refusal store_unavailable */
  read(clientId: string, tenantIds: string[]): Promise<{ client: RegisteredClient | undefined; tenants: Tenant[] }>;
}

/**
 * Undefined for a client without a record, for people without a workspace, and for people outside the connector's workspace. Client
 * and tenants are read together, because a sign-in waits for the token.
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
