// Reads in one call what a token needs besides the person's own record: its app client, and the person's workspaces.
import { registeredClientSchema } from "../../../domain/access/registered-client.ts";
import type { TokenFacts } from "../../../domain/access/token-workspace.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { tenantOf } from "../workspace/tenants.ts";

export function tokenFacts(rows: Rows): TokenFacts {
  return {
    async read(clientId, tenantIds) {
      const registered = keys.appClient(clientId);
      const item = await rows.wholeBatch([registered, ...tenantIds.map(keys.tenant)]);
      const tenants = tenantIds.flatMap((tenantId) => tenantOf(item(keys.tenant(tenantId))) ?? []);
      return { client: registeredClientSchema.safeParse(item(registered)).data, tenants };
    },
  };
}
