// The routes of the workspace's integrations, as data.
import * as z from "zod";
import { shownServerSchema } from "../../../domain/integrations/mcp-server.ts";
import { requireStay, rulesAfter } from "../../../domain/integrations/owner-rules.ts";
import { mcpServerBody, mcpServerChange } from "../../../domain/integrations/server-body.ts";
import { specReportSchema } from "../../../domain/openapi/report.ts";
import { toolCallOutcomes } from "../../../domain/tools/tool-call.ts";
import { filterText, loggedCallSchema } from "../../../domain/tools/tool-call-search.ts";
import { verificationSchema } from "../../../domain/upstream/verification.ts";
import { filteredPageQuery, pageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";
import { UseCaseRule, writtenBy } from "../routing/writers.ts";

const warnings = z
  .array(
    z
      .object({
        tool: z.string().describe("Name of the tool"),
        message: z.string().describe("Why a client rejects the tool"),
      })
      .meta({ id: "ToolWarning", description: "A tool that an MCP client rejects" }),
  )
  .describe("Tools that some MCP clients reject, and why");

const names = z.array(z.string());

const rules = {
  offered: names.optional().describe("Names of the tools that are offered. Missing if all tools are offered"),
  owners_only: names.describe("Names of the tools that only owners see and call"),
};

const shownTools = z
  .object({
    all: names.describe("Names of all tools of the integration, without the integration's name"),
    ...rules,
    set_by_owner: z
      .object(rules)
      .meta({ id: "OwnerToolRules", description: "The owner's rules for an integration's tools" })
      .optional()
      .describe("The owner's rules. Developers can narrow but not widen them. Missing if the owner set no rules"),
  })
  .meta({ id: "McpServerTools", description: "Tools of an integration, and who may use them" });

const shown = shownServerSchema
  .extend({
    tools: shownTools.describe("Tools of the integration, and who may use them"),
    tool_warnings: warnings,
  })
  .meta({ id: "McpServer", description: "An integration: an API or an MCP server that the gateway connects to" });
const verified = verificationSchema
  .extend({ tool_warnings: warnings })
  .meta({ id: "McpVerification", description: "Result of a verification, and the tools that some clients reject" });

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

const setsTools = new UseCaseRule(rulesAfter, "the owner, and by a developer within the owner's rules");
const writesDocument = new UseCaseRule(
  rulesAfter,
  "the owner, and by a developer if the owner set no rules for this name and these hosts",
);
const moves = new UseCaseRule(
  requireStay,
  "the owner, and by a developer if the owner set no rules for the integration's tools",
);

export const mcpServerRoutes = {
  listMcpServers: {
    method: "GET",
    path,
    access: "member",
    summary: "List the workspace's integrations",
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
    summary: "Register an integration: a provider of the marketplace by its `provider_id`, or a custom one",
    body: writtenBy(mcpServerBody, {
      name: "caller",
      provider_id: "caller",
      secret: "caller",
      extra_env_entries: "caller",
      target_mode: "caller",
      endpoint: "caller",
      spec: writesDocument,
      spec_uri: writesDocument,
      // The address and the choice come only with a document, which has its own rule.
      base_url: "caller",
      operations: "caller",
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
    summary: "Get an integration",
    response: shown,
    example: { parameters: { server_id: serverId }, response: anExample },
  },
  changeMcpServer: {
    method: "PUT",
    path: `${path}/{server_id}`,
    access: "member",
    asksOutside: true,
    versionedBy: "version",
    summary: "Change an integration. A new credential replaces the old one without an interruption",
    body: writtenBy(mcpServerChange, {
      secret: "caller",
      extra_env_entries: "caller",
      endpoint: moves,
      spec: moves,
      spec_uri: moves,
      base_url: "caller",
      operations: "caller",
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
    summary:
      "Remove an integration and its credential. The removal is finished when reading the integration answers 404",
    refusals: ["gateway_unavailable"],
    example: { parameters: { server_id: serverId } },
  },
  getMcpServerReport: {
    method: "GET",
    path: `${path}/{server_id}/report`,
    access: "member",
    asksOutside: true,
    summary: "See what became of the operations of an integration's OpenAPI document",
    response: specReportSchema,
    refusals: ["gateway_unavailable"],
    example: {
      parameters: { server_id: serverId },
      response: {
        base_url: "https://api.pets.example.com/v1",
        taken: 12,
        taken_with_loss: 0,
        not_offered: 1,
        not_chosen: 0,
        operations: [
          {
            operation: "PUT /pets/{id}/photo",
            reason: "media_type",
            message: "takes a body of image/png, not of JSON or a form",
          },
        ],
      },
    },
  },
  verifyMcpServer: {
    method: "POST",
    path: `${path}/{server_id}/verify`,
    access: "member",
    asksOutside: true,
    summary: "Verify an integration: connect with its credential and list its tools",
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
    summary: "List recent calls of an integration's tools, newest first. The range is 24 hours at most",
    query: filteredPageQuery({
      from: iso.optional().describe("Start of the range. By default one hour before its end"),
      to: iso.optional().describe("End of the range. By default now"),
      tool: filterText.optional().describe("Only calls of this tool; its name without the integration's name"),
      caller_id: filterText.optional().describe("Only calls of this person, by `user_id`"),
      outcome: z
        .enum(toolCallOutcomes, { error: () => `must be one of ${toolCallOutcomes.join(", ")}` })
        .optional()
        .describe("Only calls with this outcome"),
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
