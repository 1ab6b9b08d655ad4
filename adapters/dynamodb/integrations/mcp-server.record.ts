// The records of a workspace's integrations: the integration, its name, and the mark of a removed one.
import * as z from "zod";
import { leftRulesSchema, mcpServerSchema } from "../../../domain/integrations/mcp-server.ts";
import { removalMark } from "../../../domain/kernel/retention.ts";
import { toolRulesSchema } from "../../../domain/tools/tool-rules.ts";
import { defineRecord } from "../record.ts";

export const mcpServerRecord = defineRecord({
  kind: "mcpServer",
  title: "integration",
  pk: "MCPSERVER#{tenant_id}",
  sk: "{server_id}",
  activeIndex: { pk: "MCPDUE#SERVERS", sk: "{since}#{tenant_id}#{server_id}", rows: "while work on it goes on" },
  schema: mcpServerSchema,
  version: 1,
  life: "until deleted",
  purge: { with: "workspace", by: "partition" },
  written: "by `control` when people register, change or delete it, and when it is verified; its state by `agentcore`",
});

export const mcpServerRemovedRecord = defineRecord({
  kind: "mcpServer",
  title: "mark of a removed integration",
  pk: "MCPSERVER#{tenant_id}",
  sk: "REMOVED#{server_id}",
  schema: leftRulesSchema.partial(),
  version: 1,
  life: removalMark,
  purge: { with: "workspace", by: "partition" },
  written:
    "by `agentcore`, in the transaction of the removal, so that a DELETE can be repeated; it keeps `name`, `hosts` and `owner_rules` of one with the owner's rules, which `control` takes away when the owner lifts them",
});

export const mcpServerNameRecord = defineRecord({
  kind: "mcpServer",
  title: "name of an integration",
  pk: "MCPSERVER#{tenant_id}",
  sk: "NAME#{name}",
  schema: z.object({ server_id: z.string(), name: z.string(), tool_rules: toolRulesSchema.optional() }),
  version: 1,
  life: "with the integration",
  purge: { with: "workspace", by: "partition" },
  written:
    "with the integration, whose rules of tools it has too (`tool_rules`): `interceptor` reads the names alone. In the transaction of the registration, because a target's name belongs to one integration",
});
