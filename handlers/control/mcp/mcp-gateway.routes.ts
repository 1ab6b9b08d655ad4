// The routes of the workspace's MCP gateway, as data.
import * as z from "zod";
import { mostOwnRedirects } from "../../../domain/connectors/own-redirects.ts";
import { fields } from "../../../domain/kernel/validation.ts";
import { gatewayStates } from "../../../domain/mcp/gateway.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const gateway = z
  .object({
    endpoint: z
      .url()
      .optional()
      .describe("Address of the gateway for MCP clients. Missing until the gateway has an address"),
    client_id: z
      .string()
      .optional()
      .describe("OAuth client id for a connector's form that also asks for a client secret"),
    public_client_id: z
      .string()
      .optional()
      .describe(
        "OAuth client id for programs on people's machines: authorization code flow with PKCE, without a secret",
      ),
    state: z
      .enum(gatewayStates)
      .describe("State of the gateway. `creating`: takes about one minute. `failed`: `reason` names the cause"),
    reason: z.string().optional().describe("Why the creation of the gateway failed"),
    created_at: z.iso.datetime().describe("When the gateway was created"),
    secret_rotated_at: z.iso.datetime().optional().describe("When the client secret was last replaced"),
    redirect_uris: z
      .array(z.string())
      .describe(
        "Addresses of the owner's choice to which clients with the gateway's own ids may come back after a sign-in",
      ),
    previous_secret_until: z.iso
      .datetime()
      .optional()
      .describe("Until when the previous client secret is valid. Missing if there is no previous secret"),
  })
  .meta({ id: "McpGateway", description: "The workspace's MCP gateway" });

const gatewayPatch = fields({
  redirect_uris: z
    .array(z.string())
    .max(mostOwnRedirects)
    .describe(
      "Addresses to which clients with the gateway's own ids may come back. Clients on people's machines and those of known vendors need none",
    ),
}).meta({ id: "McpGatewayChange", description: "Changes of a gateway" });

const commands = z
  .object({
    claude_code: z.string().describe("Command that adds the gateway to Claude Code"),
    inspector: z.string().describe("Command that lists the gateway's tools with the MCP Inspector"),
  })
  .meta({ id: "McpGatewayCommands", description: "Commands for a shell" });

/** The gateway with its client's secret, which no other answer shows. */
const shown = gateway
  .extend({
    endpoint: z.url().describe("Address of the gateway for MCP clients"),
    client_id: z.string().describe("OAuth client id for a connector's form"),
    client_secret: z.string().describe("OAuth client secret of `client_id`, for a connector's form"),
    public_client_id: z
      .string()
      .describe(
        "OAuth client id for programs on people's machines: authorization code flow with PKCE, without a secret",
      ),
    commands,
  })
  .meta({ id: "ShownMcpGateway", description: "The workspace's MCP gateway, with its client secret" });

const example = {
  endpoint:
    "https://mcp.archway.example/0123abcd-9b2f00000000400080000000000000ac-abcde12345-9899f40b482859c7d2115060/mcp",
  client_id: "4nexampleclient",
  public_client_id: "7kexampleclient",
  state: "ready" as const,
  created_at: "2026-11-23T10:00:00.000Z",
  redirect_uris: [],
};

const shownExample = {
  ...example,
  client_secret: "<secret>",
  commands: {
    claude_code: `claude mcp add --transport http archway ${example.endpoint}`,
    inspector: `npx @modelcontextprotocol/inspector --cli ${example.endpoint} --transport http --method tools/list`,
  },
};

const path = "/v1/mcp-gateway";

export const mcpGatewayRoutes = {
  setUpMcpGateway: {
    method: "POST",
    path,
    access: "owner",
    asksOutside: true,
    summary: "Create the workspace's MCP gateway, or show the existing one, with the client secret",
    response: shown,
    refusals: [
      ...(["platform_full", "gateway_deleting", "workspace_incomplete"] as const),
      ...(["changed_meanwhile", "not_found", "gateway_unavailable"] as const),
    ],
    example: { response: { ...shownExample, state: "creating" } },
  },
  getMcpGateway: {
    method: "GET",
    path,
    access: "member",
    summary: "Get the workspace's MCP gateway, without the client secret",
    response: gateway,
    refusals: ["not_found"],
    example: { response: example },
  },
  updateMcpGateway: {
    method: "PATCH",
    path,
    access: "owner",
    summary: "Name the addresses of further clients that use the gateway's own ids. The list replaces the one before",
    body: writtenBy(gatewayPatch, { redirect_uris: "owner" }),
    response: gateway,
    refusals: ["not_found"],
    example: {
      body: { redirect_uris: ["https://chat.example.com/mcp/callback"] },
      response: { ...example, redirect_uris: ["https://chat.example.com/mcp/callback"] },
    },
  },
  rotateMcpGatewaySecret: {
    method: "POST",
    path: `${path}/rotate-secret`,
    access: "owner",
    asksOutside: true,
    summary: "Replace the client secret. The previous secret stays valid for 24 hours",
    response: shown,
    refusals: ["previous_secret_valid", "changed_meanwhile", "not_found", "gateway_unavailable"],
    example: {
      response: {
        ...shownExample,
        secret_rotated_at: "2026-11-23T11:00:00.000Z",
        previous_secret_until: "2026-11-24T11:00:00.000Z",
      },
    },
  },
  deleteMcpGateway: {
    method: "DELETE",
    path,
    access: "owner",
    asksOutside: true,
    summary:
      "Delete the MCP gateway and its integrations. The deletion is finished when reading the gateway answers 404",
    status: 202,
    refusals: ["gateway_unavailable"],
    example: {},
  },
} as const satisfies Record<string, Route>;
