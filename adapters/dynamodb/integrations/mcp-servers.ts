// The records of a workspace's integrations: one partition for each workspace, in the order of their ids.

import { leftRulesSchema, type McpServer, type McpServerStore } from "../../../domain/integrations/mcp-server.ts";
import { expiresAt, removalMark } from "../../../domain/kernel/retention.ts";
import { type ToolRulesReader, toolRulesSchema } from "../../../domain/tools/tool-rules.ts";
import { hasKey } from "../client.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, follows, present, put, remove, setting, when } from "../write.ts";
import { mcpServerNameRecord, mcpServerRecord, mcpServerRemovedRecord } from "./mcp-server.record.ts";

/** The beginning of an integration's id. The sort keys of rows that keep a name or a mark begin otherwise. */
const serverPrefix = "srv_";

const notDue = { gsi2_pk: undefined, gsi2_sk: undefined };

/** Whether a job is to change an integration in this state. */
function isUnderWay(state: McpServer["state"]): boolean {
  return state === "creating" || state === "updating" || state === "deleting";
}

export function mcpServerStore(rows: Rows): McpServerStore {
  const partition = (tenantId: string) => ({
    pk: mcpServerRecord.range({ tenant_id: tenantId }).pk,
    prefix: serverPrefix,
  });

  return {
    async get(tenantId, serverId) {
      return rows.read(mcpServerRecord, { tenant_id: tenantId, server_id: serverId });
    },

    async list(tenantId, { limit, after }) {
      const { Items = [], LastEvaluatedKey } = await rows.query(partition(tenantId), {
        Limit: limit,
        ExclusiveStartKey:
          after === undefined ? undefined : mcpServerRecord.key({ tenant_id: tenantId, server_id: after }),
      });
      const items = Items.map((item) => mcpServerRecord.parse(item));
      return { items, next: LastEvaluatedKey && items.at(-1)?.server_id };
    },

    all: async (tenantId) => (await rows.all(partition(tenantId))).map((item) => mcpServerRecord.parse(item)),

    async put(server, entry) {
      const { tenant_id, server_id, name, version, tool_rules } = server;
      const due =
        isUnderWay(server.state) && mcpServerRecord.activeIndexKey({ since: server.updated_at, tenant_id, server_id });
      const item = { ...mcpServerRecord.key({ tenant_id, server_id }), ...server, ...due };
      // A target's name belongs to one integration; AgentCore refuses another of the same name.
      const named = {
        ...mcpServerNameRecord.key({ tenant_id, name }),
        server_id,
        name,
        ...(tool_rules && { tool_rules }),
      };
      const writes = [put(item, follows(version)), put(named, version === 1 ? absent : present), auditPut(entry)];
      return (await rows.transact(writes)) === undefined;
    },

    change: ({ tenant_id, server_id }, progress, version) =>
      rows.update(
        mcpServerRecord.key({ tenant_id, server_id }),
        setting({ ...progress, ...(progress.state !== undefined && !isUnderWay(progress.state) && notDue) }),
        version === undefined ? present : when`version = ${version}`,
      ),

    async *due(before) {
      const range = mcpServerRecord.activeIndexRange({});
      for await (const page of rows.pages({ ...range, upTo: `${before}#~` })) {
        for (const item of page) {
          const [, tenantId = "", serverId = ""] = String(item.gsi2_sk).split("#");
          if (hasKey(item, mcpServerRecord.key({ tenant_id: tenantId, server_id: serverId })))
            yield { tenant_id: tenantId, server_id: serverId };
        }
      }
    },

    async remove({ tenant_id, server_id, name, hosts, owner_rules }, at) {
      const left = owner_rules && { server_id, name, hosts, owner_rules };
      const mark = {
        ...mcpServerRemovedRecord.key({ tenant_id, server_id }),
        ...left,
        expires_at: expiresAt(removalMark, at),
      };
      await rows.transact([
        remove(mcpServerRecord.key({ tenant_id, server_id })),
        remove(mcpServerNameRecord.key({ tenant_id, name })),
        put(mark),
      ]);
    },

    async leftRules(tenantId, now) {
      const { pk, sk: prefix } = mcpServerRemovedRecord.key({ tenant_id: tenantId, server_id: "" });
      const marks = await rows.all({ pk, prefix });
      return marks
        .filter(({ owner_rules, expires_at }) => owner_rules !== undefined && Number(expires_at) * 1000 > now)
        .map((mark) => leftRulesSchema.parse(mark));
    },

    async endLeftRules(tenantId, serverId) {
      await rows.update(
        mcpServerRemovedRecord.key({ tenant_id: tenantId, server_id: serverId }),
        setting({ owner_rules: undefined }),
        present,
      );
    },

    wasRemoved: async (tenantId, serverId) =>
      (await rows.get(mcpServerRemovedRecord.key({ tenant_id: tenantId, server_id: serverId }))) !== undefined,
  };
}

/** The rules of all integrations of a workspace, for those who call tools: they lie in the rows of the names, which are small. */
export function toolRulesReader(rows: Rows): ToolRulesReader {
  return {
    async of(tenantId) {
      const named = await rows.all({
        pk: mcpServerNameRecord.range({ tenant_id: tenantId }).pk,
        prefix: mcpServerNameRecord.key({ tenant_id: tenantId, name: "" }).sk,
      });
      return new Map(
        named.flatMap(({ name, tool_rules }) =>
          tool_rules === undefined ? [] : [[String(name), toolRulesSchema.parse(tool_rules)] as const],
        ),
      );
    },
  };
}
