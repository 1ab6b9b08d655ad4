// The routes of the workspace's integrations, as data.
import * as z from "zod";
import { shownServerSchema } from "../../../domain/integrations/mcp-server.ts";
import { requireStay, rulesAfter } from "../../../domain/integrations/owner-rules.ts";
import { mcpServerBody, mcpServerChange } from "../../../domain/integrations/server-body.ts";
import { toolCallOutcomes } from "../../../domain/tools/tool-call.ts";
import { filterText, loggedCallSchema } from "../../../domain/tools/tool-call-search.ts";
import { verificationSchema } from "../../../domain/upstream/verification.ts";
import { filteredPageQuery, pageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";
import { UseCaseRule, writtenBy } from "../routing/writers.ts";

const warnings = z
  .array(
    z
      .object({ tool: z.string().describe("The tool's name"), message: z.string().describe("What is wrong with it") })
      .meta({ id: "ToolWarning", description: "A tool that some client will not take" }),
  )
  .describe("Tools that some client will not take");

const names = z.array(z.string());

const rules = {
  offered: names.optional().describe("Those that are offered; all of them where it is missing"),
  owners_only: names.describe("Those that only owners see and call"),
};

const shownTools = z
  .object({
    all: names.describe("Names of its tools, without the integration's"),
    ...rules,
    set_by_owner: z
      .object(rules)
      .meta({ id: "OwnerToolRules", description: "The owner's rules of an integration's tools" })
      .optional()
      .describe("The owner's rules, which developers may narrow and not lift; missing where the owner set none"),
  })
  .meta({ id: "McpServerTools", description: "An integration's tools, and who may use them" });

const shown = shownServerSchema
  .extend({
    tools: shownTools.describe("Its tools, and who may use them"),
    tool_warnings: warnings,
  })
  .meta({ id: "McpServer", description: "An integration: an API or an MCP server behind the gateway" });
const verified = verificationSchema
  .extend({ tool_warnings: warnings })
  .meta({ id: "McpVerification", description: "What an integration answered, and which tools it has" });

const path = "/v1/mcp-servers";
const serverId = "srv_8d7f4a1e4b524a7c9a3d0f4a5f6b7c8d";

const anExample = {
  server_id: serverId,
  tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  name: "pets",
  target_mode: "mcp_server",
  endpoint: "https://mcp.pets.example.com/mcp",
  auth: { kind: "bearer" },
  state: "ready",
  credential_provider_id: "0123abcd-srv_8d7f4a1e4b524a7c9a3d0f4a5f6b7c8d-1",
  gateway_target_id: "A1B2C3D4E5",
  secret_set_at: "2026-11-23T10:00:00.000Z",
  created_at: "2026-11-23T10:00:00.000Z",
  created_by: "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c",
  updated_at: "2026-11-23T10:00:00.000Z",
  version: 1,
  tools: { all: ["list_pets"], owners_only: [] },
  tool_warnings: [],
} as const;

const { credential_provider_id: _, gateway_target_id: __, ...creating } = { ...anExample, state: "creating" } as const;

const iso = z.iso.datetime({ offset: true, error: () => "must be a time in ISO 8601" });

const setsTools = new UseCaseRule(
  rulesAfter,
  "the owner, and a developer as far as that allows nothing that the owner's rules do not",
);
const writesDocument = new UseCaseRule(
  rulesAfter,
  "the owner, and a developer for a name and hosts without rules of the owner's",
);
const moves = new UseCaseRule(requireStay, "the owner, and a developer where the owner set no rules of its tools");

export const mcpServerRoutes = {
  listMcpServers: {
    method: "GET",
    path,
    access: "member",
    summary: "The workspace's integrations",
    query: pageQuery,
    response: pageSchema(shown),
    example: { response: { data: [anExample] } },
  },
  registerMcpServer: {
    method: "POST",
    path,
    access: "member",
    asksOutside: true,
    idempotent: true,
    versionedBy: "version",
    summary: "Register an integration: of the marketplace by `provider_id`, or a custom one",
    body: writtenBy(mcpServerBody, {
      name: "caller",
      provider_id: "caller",
      secret: "caller",
      extra_env_entries: "caller",
      target_mode: "caller",
      endpoint: "caller",
      spec: writesDocument,
      spec_uri: writesDocument,
      auth: "caller",
      tools: setsTools,
    }),
    status: 202,
    response: shown,
    location: "/v1/mcp-servers/{server_id}",
    refusals: [
      ...(["gateway_missing", "integration_limit_reached", "integration_name_taken", "workspace_incomplete"] as const),
      ...(["platform_full", "gateway_unavailable"] as const),
    ],
    example: {
      body: {
        name: "pets",
        target_mode: "mcp_server",
        endpoint: "https://mcp.pets.example.com/mcp",
        auth: { kind: "bearer", secret: "<token>" },
      },
      response: creating,
    },
  },
  getMcpServer: {
    method: "GET",
    path: `${path}/{server_id}`,
    access: "member",
    versionedBy: "version",
    summary: "An integration",
    response: shown,
    example: { parameters: { server_id: serverId }, response: anExample },
  },
  changeMcpServer: {
    method: "PUT",
    path: `${path}/{server_id}`,
    access: "member",
    asksOutside: true,
    versionedBy: "version",
    summary: "Change an integration; a new credential replaces the old one without a gap",
    body: writtenBy(mcpServerChange, {
      secret: "caller",
      extra_env_entries: "caller",
      endpoint: moves,
      spec: moves,
      spec_uri: moves,
      auth: "caller",
      tools: setsTools,
    }),
    status: 202,
    response: shown,
    refusals: [
      ...(["gateway_missing", "secret_missing", "integration_deleting", "workspace_incomplete"] as const),
      ...(["platform_full", "gateway_unavailable"] as const),
    ],
    example: {
      parameters: { server_id: serverId },
      body: { auth: { kind: "bearer", secret: "<new token>" } },
      response: { ...anExample, state: "updating", version: 2 },
    },
  },
  deleteMcpServer: {
    method: "DELETE",
    path: `${path}/{server_id}`,
    access: "member",
    asksOutside: true,
    versionedBy: "version",
    status: 202,
    summary: "Remove an integration with its credential; it is gone once reading it answers 404",
    refusals: ["gateway_unavailable"],
    example: { parameters: { server_id: serverId } },
  },
  verifyMcpServer: {
    method: "POST",
    path: `${path}/{server_id}/verify`,
    access: "member",
    asksOutside: true,
    summary: "Ask an integration with its credential, and say which tools it has",
    response: verified,
    refusals: ["gateway_missing", "gateway_unavailable"],
    example: {
      parameters: { server_id: serverId },
      response: {
        verified: true,
        tool_count: 1,
        verified_at: "2026-11-23T10:05:00.000Z",
        tools: ["list_pets"],
        changed: { added: [], removed: [], altered: [] },
        tool_warnings: [],
      },
    },
  },
  listMcpServerLogs: {
    method: "GET",
    path: `${path}/{server_id}/logs`,
    access: "member",
    asksOutside: true,
    summary: "Recent calls of an integration's tools, newest first; 24 hours at the most",
    query: filteredPageQuery({
      from: iso.optional().describe("From then on; an hour before the end unless given"),
      to: iso.optional().describe("Until then; now unless given"),
      tool: filterText.optional().describe("The tool's name, without the integration's"),
      caller_id: filterText.optional().describe("A person's sub"),
      outcome: z
        .enum(toolCallOutcomes, { error: () => `must be one of ${toolCallOutcomes.join(", ")}` })
        .optional()
        .describe("How it ended"),
    }),
    response: pageSchema(loggedCallSchema),
    refusals: ["gateway_unavailable"],
    example: {
      parameters: { server_id: serverId },
      response: {
        data: [
          {
            at: "2026-11-23T10:06:00.000Z",
            caller_id: "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c",
            tool: "list_pets",
            arguments: ["limit"],
            outcome: "ok",
            ms: 120,
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Route>;
