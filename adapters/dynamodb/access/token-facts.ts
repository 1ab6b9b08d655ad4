// Reads in one call what a token needs besides the person's own record: its app client, and the person's workspaces.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { registeredClientSchema } from "../../../domain/access/registered-client.ts";
import type { TokenFacts } from "../../../domain/access/token-workspace.ts";
import { wholeBatch } from "../batch.ts";
import { keys } from "../schema.ts";
import { tenantOf } from "../workspace/tenants.ts";

export function tokenFacts(client: DynamoDBDocumentClient, tableName: string): TokenFacts {
  return {
    async read(clientId, tenantIds) {
      const registered = keys.appClient(clientId);
      const item = await wholeBatch(client, tableName, [registered, ...tenantIds.map(keys.tenant)]);
      const tenants = tenantIds.flatMap((tenantId) => tenantOf(item(keys.tenant(tenantId))) ?? []);
      return { client: registeredClientSchema.safeParse(item(registered)).data, tenants };
    },
  };
}
