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
  activeIndex: {
    pk: "MCPDUE#SERVERS",
    sk: "{since}#{tenant_id}#{server_id}",
    rows: "while the integration is being worked on",
  },
  schema: mcpServerSchema,
  version: 1,
  life: "until deleted",
  purge: { with: "workspace", by: "partition" },
  control: ["get", "query", "put", "update"],
  written: "by `control` when it is registered, changed, deleted or verified; its state by `agentcore`",
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
  control: ["get", "query", "update"],
  written:
    "by `agentcore`, in the transaction of the removal, so that a DELETE can be repeated; it keeps `name`, `hosts` and `owner_rules` of an integration with the owner's rules, which `control` removes when the owner ends them",
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
  control: ["put"],
  written:
    "in the transaction of the registration, because a name belongs to only one integration; it also has the rules of tools (`tool_rules`), because `interceptor` reads only this record",
});
