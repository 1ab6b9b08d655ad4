// The records of the workspaces' MCP gateways, the leases of those who work on them, and the records of their app clients.
import type { RegisteredClient } from "../../../domain/access/registered-client.ts";
import type { ConnectorRegistrations } from "../../../domain/mcp/agentcore-gateways.ts";
import { type GatewayLeases, type GatewayStore, mcpGatewaySchema } from "../../../domain/mcp/gateway.ts";
import { hasKey } from "../client.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, change, present, put, setting, update, when } from "../write.ts";

const notDue = { gsi2_pk: undefined, gsi2_sk: undefined };

export function gatewayStore(rows: Rows): GatewayStore {
  return {
    async get(tenantId) {
      return mcpGatewaySchema.optional().parse(await rows.get(keys.mcpGateway(tenantId)));
    },

    async begin(gateway, dueAt, entry) {
      const { tenant_id: tenantId } = gateway;
      const row = { ...keys.mcpGateway(tenantId), ...gateway, ...activeIndex.mcpDue(dueAt, tenantId) };
      const failed = await rows.transact([put(row, absent), auditPut(entry)]);
      if (failed !== undefined) throw new Error("a gateway's record is there already");
    },

    async change(tenantId, attributes, dueAt, entry) {
      const due = dueAt === null ? notDue : dueAt !== undefined && activeIndex.mcpDue(dueAt, tenantId);
      const changed = update(keys.mcpGateway(tenantId), setting({ ...attributes, ...due }), present);
      const failed = await rows.transact([changed, ...(entry ? [auditPut(entry)] : [])]);
      if (failed !== undefined) throw new Error("a gateway's record is gone");
    },

    async remove(tenantId) {
      await rows.delete(keys.mcpGateway(tenantId));
    },

    async *due(until) {
      const { gsi2_pk: pk } = activeIndex.mcpDue("", "");
      for await (const page of rows.pages({ pk, by: "activeIndex", upTo: `${until}#~` })) {
        for (const item of page) {
          const tenantId = String(item.gsi2_sk).split("#")[1] ?? "";
          if (hasKey(item, keys.mcpGateway(tenantId))) yield tenantId;
        }
      }
    },
  };
}

export function gatewayLeases(rows: Rows): GatewayLeases {
  return {
    take: (tenantId, { now, until }) =>
      rows.update(
        keys.mcpGatewayLease(tenantId),
        change`SET leased_until = ${until}`,
        when`attribute_not_exists(leased_until) OR leased_until < ${now}`,
      ),

    async release(tenantId, until) {
      await rows.delete(keys.mcpGatewayLease(tenantId), when`leased_until = ${until}`);
    },
  };
}

export function connectorRegistrations(rows: Rows): ConnectorRegistrations {
  return {
    async put(clientId, tenantId) {
      const registered: RegisteredClient = { client_id: clientId, use: "connector", tenant_id: tenantId };
      await rows.put({ ...keys.connectorClient(clientId), ...registered });
    },

    async remove(clientId) {
      await rows.delete(keys.connectorClient(clientId));
    },
  };
}
