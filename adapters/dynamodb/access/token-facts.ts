// What a token says beside the person's own record, in one call: its app client, and the workspaces that the person belongs to.
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
      // What is not returned is not there for whoever looks: the token would say less than it should.
      if (!batch.isWhole) throw unavailable(new Error("some items were not returned"));
      const tenants = tenantIds.flatMap((tenantId) => {
        const item = batch.item(keys.tenant(tenantId));
        return item ? [tenantOf(item)] : [];
      });
      return { client: registeredClientSchema.safeParse(batch.item(registered)).data, tenants };
    },
  };
}
