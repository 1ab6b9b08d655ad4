// An integration: an API or an MCP server behind the workspace's gateway, as its record in the table keeps it.
import * as z from "zod";
import type { Page, PageRequest } from "../kernel/page.ts";
import { Refusal } from "../kernel/refusal.ts";
import { operationChoiceSchema } from "../openapi/choice.ts";
import { registeredSpecSchema } from "../openapi/registered-spec.ts";
import { toolRulesSchema } from "../tools/tool-rules.ts";
import { upstreamAuthSchema } from "../upstream/upstream-auth.ts";
import { verificationSchema } from "../upstream/verification.ts";
import type { AuditEntry } from "../workspace/audit.ts";

export const customModes = ["openapi", "mcp_server"] as const;
/** Kinds of targets. Only an integration of the marketplace can be `runtime`. */
const targetModes = [...customModes, "runtime"] as const;
export type TargetMode = (typeof targetModes)[number];

/** `failed` says that the last change did not take effect; calls of a server that was ready go on as before. */
const mcpServerStates = ["creating", "updating", "ready", "failed", "deleting"] as const;

const shownSchema = z.object({
  server_id: z.string().describe("Id of the integration"),
  tenant_id: z.string().describe("Id of the workspace"),
  name: z.string().describe("Name of the integration. The names of its tools begin with it"),
  provider_id: z.string().optional().describe("Id of the marketplace provider. Missing for a custom integration"),
  target_mode: z
    .enum(targetModes)
    .describe(
      "What the gateway connects to: an API described by an OpenAPI document, an MCP server, or a provider's MCP server in a runtime of the workspace",
    ),
  endpoint: z.string().optional().describe("Address of the MCP server"),
  base_url: z.string().optional().describe("Address of the API in place of the one in its document"),
  operations: operationChoiceSchema.optional().describe("The operations that were chosen. Missing if all were"),
  auth: upstreamAuthSchema,
  state: z
    .enum(mcpServerStates)
    .describe("State of the integration. `ready`: its tools can be called. `failed`: `reason` names the cause"),
  reason: z.string().optional().describe("Why the integration failed"),
  credential_provider_id: z
    .string()
    .optional()
    .describe("Name of the credential provider. Missing until it is created"),
  gateway_target_id: z
    .string()
    .optional()
    .describe("Id of the integration's target at the gateway. Missing until the target is created"),
  secret_set_at: z.iso.datetime().optional().describe("When the credential or the settings were last set"),
  extra_env_names: z
    .array(z.string())
    .optional()
    .describe("Names of the settings in `extra_env_entries`. No answer contains their values"),
  verification: verificationSchema.optional(),
  created_at: z.iso.datetime().describe("When the integration was registered"),
  created_by: z.string().describe("`user_id` of the person who registered the integration"),
  updated_at: z.iso.datetime().describe("When a person last changed the integration"),
  version: z.int().describe("Version of the integration: 1 after the registration, plus 1 for each change by a person"),
});

export const mcpServerSchema = shownSchema.extend({
  tool_rules: toolRulesSchema.optional(),
  /** The rules within which others than the owner may change `tool_rules` (owner-rules.ts). */
  owner_rules: toolRulesSchema.optional(),
  /** The hosts that its tools call. */
  hosts: z.array(z.string()).default([]),
  /** The ARN of the runtime in which a provider's server runs. */
  runtime_arn: z.string().optional(),
  /** The version that gave the present secret. Each has a credential provider and a secret of its own. */
  secret_version: z.int().optional(),
  /** Versions whose provider or secret may exist, the present one included. */
  provider_versions: z.array(z.int()),
  /** The version that brought the present document. */
  spec_version: z.int().optional(),
  /** Versions whose document may exist, the present one included. */
  spec_versions: z.array(z.int()),
  /** Digests of the tools of the last probe that succeeded; empty ones of tools that only the catalog names so far. */
  known_tools: z.record(z.string(), z.string()),
  /** When `known_tools` was last found to differ, and the time of those that the gateway has taken: a difference is work that is not done. */
  tools_found_at: z.string().optional(),
  tools_taken_at: z.string().optional(),
});

export type McpServer = z.output<typeof mcpServerSchema>;

/** Whether the gateway lists the tools that were last found. */
export function hasTaken({ tools_found_at, tools_taken_at }: McpServer): boolean {
  return tools_found_at === tools_taken_at;
}

/** What the mark of a removed integration keeps of one with the owner's rules. */
export const leftRulesSchema = mcpServerSchema
  .pick({ server_id: true, name: true, hosts: true })
  .extend({ owner_rules: toolRulesSchema });

export type LeftRules = z.output<typeof leftRulesSchema>;

/** The material of an integration that is too secret or too large for its record. */
export const serverMaterialSchema = z.object({
  /** The version of the record that it came with. It is not kept for another one, whose address may be another. */
  version: z.int(),
  secret: z.string().optional(),
  /** Settings of a provider's server. */
  entries: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .readonly()
    .optional(),
  spec: registeredSpecSchema.optional(),
  /** The version whose secret and settings are taken over where none are given. */
  base: z.int().optional(),
});

export type ServerMaterial = z.output<typeof serverMaterialSchema>;

/** The part of an integration that people see. */
export const shownServerSchema = shownSchema;

/** Attributes that the function `agentcore` and a verification change; the others are people's. */
export type ServerProgress = Partial<
  Pick<
    McpServer,
    | ("state" | "reason" | "gateway_target_id" | "credential_provider_id" | "runtime_arn")
    | ("provider_versions" | "spec_versions" | "verification" | "known_tools" | "tools_found_at" | "tools_taken_at")
  >
>;

export interface McpServerStore {
  get(tenantId: string, serverId: string): Promise<McpServer | undefined>;
  /** In the order of their ids. */
  list(tenantId: string, page: PageRequest): Promise<Page<McpServer>>;
  all(tenantId: string): Promise<McpServer[]>;
  /** Writes the version that follows the record's. @returns false if the record has another version by now, or another has its name */
  put(server: McpServer, entry: AuditEntry): Promise<boolean>;
  /** Changes a record that is there; undefined takes an attribute away. @param version that it must have @returns false if it has not */
  change(
    server: Pick<McpServer, "tenant_id" | "server_id">,
    progress: ServerProgress,
    version?: number,
  ): Promise<boolean>;
  /** Integrations on which work began before this time and is not over. */
  due(before: string): AsyncIterable<Pick<McpServer, "tenant_id" | "server_id">>;
  /** Removes the record and leaves a mark for a while, with the owner's rules. @param at now, in milliseconds */
  remove(server: McpServer, at: number): Promise<void>;
  /** The owner's rules that removed integrations left and that hold now, in milliseconds. */
  leftRules(tenantId: string, now: number): Promise<LeftRules[]>;
  /** Ends rules that a removed integration left. */
  endLeftRules(tenantId: string, serverId: string): Promise<void>;
  /** Whether there is the mark of a removed integration. */
  wasRemoved(tenantId: string, serverId: string): Promise<boolean>;
}

/** @throws Refusal not_found */
export async function requireServer(
  servers: Pick<McpServerStore, "get">,
  tenantId: string,
  serverId: string,
): Promise<McpServer> {
  const server = await servers.get(tenantId, serverId);
  if (server) return server;
  throw new Refusal("not_found", "server_id: there is no integration with this id in the workspace", {
    fields: [{ path: "server_id", message: "there is no integration with this id in the workspace" }],
  });
}
