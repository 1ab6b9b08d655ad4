// Reads in one call what a token needs besides the person's own record: its app client, and the person's workspaces.
import { connectorSchema, ownClientSchema } from "../../../domain/access/registered-client.ts";
import type { TokenFacts } from "../../../domain/access/token-workspace.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { tenantOf } from "../workspace/tenants.ts";

export function tokenFacts(rows: Rows): TokenFacts {
  return {
    async read(clientId, tenantIds) {
      const [own, connector] = [keys.appClient(clientId), keys.connectorClient(clientId)];
      const item = await rows.wholeBatch([own, connector, ...tenantIds.map(keys.tenant)]);
      const tenants = tenantIds.flatMap((tenantId) => tenantOf(item(keys.tenant(tenantId))) ?? []);
      const client = ownClientSchema.safeParse(item(own)).data ?? connectorSchema.safeParse(item(connector)).data;
      return { client, tenants };
    },
  };
}
