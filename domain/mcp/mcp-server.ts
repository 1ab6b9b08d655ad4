// An integration: an API or an MCP server behind the workspace's gateway, as its record in the table keeps it.
import * as z from "zod";
import type { Page, PageRequest } from "../kernel/page.ts";
import { Refusal } from "../kernel/refusal.ts";
import { upstreamAuthSchema } from "../upstream/upstream-auth.ts";
import { verificationSchema } from "../upstream/verification.ts";
import type { AuditEntry } from "../workspace/audit.ts";

export const targetModes = ["openapi", "mcp_server"] as const;
export type TargetMode = (typeof targetModes)[number];

/** `failed` says that the last change did not take effect; calls of a server that was ready go on as before. */
export const mcpServerStates = ["creating", "updating", "ready", "failed", "deleting"] as const;

const shownSchema = z.object({
  server_id: z.string(),
  tenant_id: z.string(),
  /** The target's name, and what its tools' names begin with. */
  name: z.string(),
  target_mode: z.enum(targetModes),
  /** Of an MCP server. */
  endpoint: z.string().optional(),
  auth: upstreamAuthSchema,
  state: z.enum(mcpServerStates),
  /** Why it failed. */
  reason: z.string().optional(),
  /** Names of the credential provider and of the target at the gateway service; missing until they are made. */
  credential_provider_id: z.string().optional(),
  gateway_target_id: z.string().optional(),
  /** When the credential was given. */
  secret_set_at: z.iso.datetime().optional(),
  verification: verificationSchema.optional(),
  created_at: z.iso.datetime(),
  created_by: z.string(),
  updated_at: z.iso.datetime(),
  /** Number of changes that people made; 1 at the registration. */
  version: z.int(),
});

export const mcpServerSchema = shownSchema.extend({
  /** The version that gave the present secret. Each has a credential provider and a secret of its own. */
  secret_version: z.int().optional(),
  /** Versions whose provider or secret may exist, the present one included. */
  provider_versions: z.array(z.int()),
  /** The version that gave the present document. */
  spec_version: z.int().optional(),
  /** Versions whose document may exist, the present one included. */
  spec_versions: z.array(z.int()),
  /** Digests of the tools of the last probe that succeeded. */
  known_tools: z.record(z.string(), z.string()),
});

export type McpServer = z.output<typeof mcpServerSchema>;

/** What people see of it. */
export const shownServerSchema = shownSchema;

/** Attributes that the function `agentcore` and a verification change; the others are people's. */
export type ServerProgress = Partial<
  Pick<
    McpServer,
    | ("state" | "reason" | "gateway_target_id" | "credential_provider_id")
    | ("provider_versions" | "spec_versions" | "verification" | "known_tools")
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
  remove(server: Pick<McpServer, "tenant_id" | "server_id" | "name">): Promise<void>;
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
    fields: ["server_id"],
  });
}
