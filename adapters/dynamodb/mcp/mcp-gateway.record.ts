// The records of a workspace's MCP gateway, and of the lease of whoever works on it.
import * as z from "zod";
import { mcpGatewaySchema } from "../../../domain/mcp/gateway.ts";
import { defineRecord } from "../record.ts";

export const mcpGatewayRecord = defineRecord({
  kind: "mcpGateway",
  title: "MCP gateway",
  pk: "MCPGATEWAY#{tenant_id}",
  sk: "GATEWAY",
  activeIndex: {
    pk: "MCPDUE#GATEWAYS",
    sk: "{since}#{tenant_id}",
    rows: "while the gateway needs a run: to become ready, to be removed, or to retire a secret",
  },
  schema: mcpGatewaySchema,
  version: 1,
  life: "until deleted",
  purge: { stays: "removed by `agentcore` with the gateway" },
  control: ["get"],
  written: "by `agentcore`, with each step of its creation",
});

export const mcpGatewayLeaseRecord = defineRecord({
  kind: "mcpGateway",
  title: "lease of an MCP gateway",
  pk: "MCPGATEWAY#{tenant_id}",
  sk: "LEASE",
  schema: z.object({ leased_until: z.number() }),
  version: 1,
  life: "until the run's end",
  purge: { stays: "ends with the run" },
  written: "by `agentcore`, with each run that changes the gateway or its integrations",
});
