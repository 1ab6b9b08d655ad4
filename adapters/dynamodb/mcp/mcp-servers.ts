// The records of a workspace's integrations: one partition for each workspace, in the order of their ids.
import { type McpServer, type McpServerStore, mcpServerSchema } from "../../../domain/mcp/mcp-server.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { follows, type Item, present, put, setting, when } from "../write.ts";

export function mcpServerStore(rows: Rows): McpServerStore {
  const partition = (tenantId: string) => ({ pk: keys.mcpServer(tenantId, "").pk });

  return {
    async get(tenantId, serverId) {
      const item = await rows.get(keys.mcpServer(tenantId, serverId));
      return item && recordOf(item);
    },

    async list(tenantId, { limit, after }) {
      const { Items = [], LastEvaluatedKey } = await rows.query(partition(tenantId), {
        Limit: limit,
        ExclusiveStartKey: after === undefined ? undefined : keys.mcpServer(tenantId, after),
      });
      const items = Items.map(recordOf);
      return { items, next: LastEvaluatedKey && items.at(-1)?.server_id };
    },

    all: async (tenantId) => (await rows.all(partition(tenantId))).map(recordOf),

    async put(server, entry) {
      const item = { ...keys.mcpServer(server.tenant_id, server.server_id), ...server };
      return (await rows.transact([put(item, follows(server.version)), auditPut(entry)])) === undefined;
    },

    change: ({ tenant_id, server_id }, progress, version) =>
      rows.update(
        keys.mcpServer(tenant_id, server_id),
        setting(progress),
        version === undefined ? present : when`version = ${version}`,
      ),

    async remove({ tenant_id, server_id }) {
      await rows.delete(keys.mcpServer(tenant_id, server_id));
    },
  };
}

function recordOf(item: Item): McpServer {
  return mcpServerSchema.parse(item);
}
