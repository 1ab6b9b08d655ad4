// Reads in one call what a token needs besides the person's own record: its app client, and the person's workspaces.
import { connectorSchema, ownClientSchema } from "../../../domain/access/registered-client.ts";
import type { TokenFacts } from "../../../domain/access/token-workspace.ts";
import type { Rows } from "../rows.ts";
import { tenantRecord } from "../workspace/tenant.record.ts";
import { tenantOf } from "../workspace/tenants.ts";
import { appClientRecord, connectorClientRecord } from "./app-client.record.ts";

export function tokenFacts(rows: Rows): TokenFacts {
  return {
    async read(clientId, tenantIds) {
      const [own, connector] = [
        appClientRecord.key({ client_id: clientId }),
        connectorClientRecord.key({ client_id: clientId }),
      ];
      const item = await rows.wholeBatch([
        own,
        connector,
        ...tenantIds.map((tenantId) => tenantRecord.key({ tenant_id: tenantId })),
      ]);
      const tenants = tenantIds.flatMap((tenantId) => tenantOf(item(tenantRecord.key({ tenant_id: tenantId }))) ?? []);
      const client = ownClientSchema.safeParse(item(own)).data ?? connectorSchema.safeParse(item(connector)).data;
      return { client, tenants };
    },
  };
}
