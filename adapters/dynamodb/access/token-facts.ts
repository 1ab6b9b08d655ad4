// Reads in one call what a token needs besides the person's own record: its app client, and the person's workspaces.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { registeredClientSchema } from "../../../domain/access/registered-client.ts";
import type { TokenFacts } from "../../../domain/access/token-workspace.ts";
import { batchGet } from "../batch.ts";
import { unavailable } from "../client.ts";
import { keys } from "../schema.ts";
import { tenantOf } from "../workspace/tenants.ts";

export function tokenFacts(client: DynamoDBDocumentClient, tableName: string): TokenFacts {
  return {
    async read(clientId, tenantIds) {
      const registered = keys.appClient(clientId);
      const batch = await batchGet(client, tableName, [registered, ...tenantIds.map(keys.tenant)]);
      // A throttled item would look like a missing one, and the token would lack its claims.
      if (!batch.isWhole) throw unavailable(new Error("some items were not returned"));
      const tenants = tenantIds.flatMap((tenantId) => {
        const item = batch.item(keys.tenant(tenantId));
        return item ? [tenantOf(item)] : [];
      });
      return { client: registeredClientSchema.safeParse(batch.item(registered)).data, tenants };
    },
  };
}
