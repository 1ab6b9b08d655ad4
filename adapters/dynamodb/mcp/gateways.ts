// The records of the workspaces' MCP gateways, the leases of those who work on them, and the records of their app clients.
import type { RegisteredClient } from "../../../domain/access/registered-client.ts";
import type { ConnectorRegistrations } from "../../../domain/mcp/agentcore-gateways.ts";
import type { GatewayLeases, GatewayStore } from "../../../domain/mcp/gateway.ts";
import { connectorClientRecord } from "../access/app-client.record.ts";
import { hasKey } from "../client.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, change, present, put, setting, update, when } from "../write.ts";
import { mcpGatewayLeaseRecord, mcpGatewayRecord } from "./mcp-gateway.record.ts";

const notDue = { gsi2_pk: undefined, gsi2_sk: undefined };

export function gatewayStore(rows: Rows): GatewayStore {
  return {
    async get(tenantId) {
      return rows.read(mcpGatewayRecord, { tenant_id: tenantId });
    },

    async begin(gateway, dueAt, entry) {
      const { tenant_id: tenantId } = gateway;
      const row = {
        ...mcpGatewayRecord.key({ tenant_id: tenantId }),
        ...gateway,
        ...mcpGatewayRecord.activeIndexKey({ since: dueAt, tenant_id: tenantId }),
      };
      const failed = await rows.transact([put(row, absent), auditPut(entry)]);
      if (failed !== undefined) throw new Error("a gateway's record is there already");
    },

    async change(tenantId, attributes, dueAt, entry) {
      const due =
        dueAt === null
          ? notDue
          : dueAt !== undefined && mcpGatewayRecord.activeIndexKey({ since: dueAt, tenant_id: tenantId });
      const changed = update(
        mcpGatewayRecord.key({ tenant_id: tenantId }),
        setting({ ...attributes, ...due }),
        present,
      );
      const failed = await rows.transact([changed, ...(entry ? [auditPut(entry)] : [])]);
      if (failed !== undefined) throw new Error("a gateway's record is gone");
    },

    async remove(tenantId) {
      await rows.delete(mcpGatewayRecord.key({ tenant_id: tenantId }));
    },

    async *due(until) {
      const range = mcpGatewayRecord.activeIndexRange({});
      for await (const page of rows.pages({ ...range, upTo: `${until}#~` })) {
        for (const item of page) {
          const tenantId = String(item.gsi2_sk).split("#")[1] ?? "";
          if (hasKey(item, mcpGatewayRecord.key({ tenant_id: tenantId }))) yield tenantId;
        }
      }
    },
  };
}

export function gatewayLeases(rows: Rows): GatewayLeases {
  return {
    take: (tenantId, { now, until }) =>
      rows.update(
        mcpGatewayLeaseRecord.key({ tenant_id: tenantId }),
        change`SET leased_until = ${until}`,
        when`attribute_not_exists(leased_until) OR leased_until < ${now}`,
      ),

    async release(tenantId, until) {
      await rows.delete(mcpGatewayLeaseRecord.key({ tenant_id: tenantId }), when`leased_until = ${until}`);
    },
  };
}

export function connectorRegistrations(rows: Rows): ConnectorRegistrations {
  return {
    async put(clientId, tenantId) {
      const registered: RegisteredClient = { client_id: clientId, use: "connector", tenant_id: tenantId };
      await rows.put({ ...connectorClientRecord.key({ client_id: clientId }), ...registered });
    },

    async remove(clientId) {
      await rows.delete(connectorClientRecord.key({ client_id: clientId }));
    },
  };
}

/** The workspaces to which the clients of gateways belong. */
export function fixedClientReader(rows: Rows) {
  return {
    async tenantOf(clientId: string): Promise<string | undefined> {
      return (await rows.read(connectorClientRecord, { client_id: clientId }))?.tenant_id;
    },
  };
}
