// The routes of the workspace's MCP gateway, as data.
import * as z from "zod";
import { gatewayStates } from "../../../domain/mcp/gateway.ts";
import type { Route } from "../routing/route.ts";

const gateway = z
  .object({
    endpoint: z.url().optional().describe("The address for an MCP client; missing until the gateway has one"),
    client_id: z.string().optional().describe("The client for a connector's form, which also asks for a secret"),
    public_client_id: z
      .string()
      .optional()
      .describe("The client for programs on people's machines, which keep no secret: code flow with PKCE"),
    state: z.enum(gatewayStates).describe("`creating` takes a minute; `failed` says why in `reason`"),
    reason: z.string().optional().describe("Why it failed"),
    created_at: z.iso.datetime().describe("When it was created"),
    secret_rotated_at: z.iso.datetime().optional().describe("When the secret was last replaced"),
    previous_secret_until: z.iso
      .datetime()
      .optional()
      .describe("Until when the secret before the present one is good; missing if there is none"),
  })
  .meta({ id: "McpGateway", description: "The workspace's MCP gateway" });

const commands = z
  .object({
    claude_code: z.string().describe("Adds the gateway to Claude Code"),
    inspector: z.string().describe("Lists its tools with the MCP Inspector"),
  })
  .meta({ id: "McpGatewayCommands", description: "Lines for a shell" });

/** The gateway with its client's secret, which no other answer shows. */
const shown = gateway
  .extend({
    endpoint: z.url().describe("The address for an MCP client"),
    client_id: z.string().describe("The client for a connector's form"),
    client_secret: z.string().describe("The secret of `client_id`, for a connector's form"),
    public_client_id: z.string().describe("The client for programs on people's machines: code flow with PKCE"),
    commands,
  })
  .meta({ id: "ShownMcpGateway", description: "The workspace's MCP gateway, with its client's secret" });

const example = {
  endpoint:
    "https://mcp.archway.example/0123abcd-9b2f00000000400080000000000000ac-abcde12345-9899f40b482859c7d2115060/mcp",
  client_id: "4nexampleclient",
  public_client_id: "7kexampleclient",
  state: "ready",
  created_at: "2026-11-23T10:00:00.000Z",
} as const;

const shownExample = {
  ...example,
  client_secret: "<secret>",
  commands: {
    claude_code: `claude mcp add --transport http --client-id 7kexampleclient --callback-port 8420 archway ${example.endpoint}`,
    inspector: `npx @modelcontextprotocol/inspector --cli ${example.endpoint} --transport http --client-id 7kexampleclient --method tools/list`,
  },
};

const path = "/v1/mcp-gateway";

export const mcpGatewayRoutes = {
  setUpMcpGateway: {
    method: "POST",
    path,
    access: "owner",
    asksOutside: true,
    summary: "Creates the workspace's MCP gateway, or shows it, with the client's secret",
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
    summary: "Shows the workspace's MCP gateway, without the secret",
    response: gateway,
    refusals: ["not_found"],
    example: { response: example },
  },
  rotateMcpGatewaySecret: {
    method: "POST",
    path: `${path}/rotate-secret`,
    access: "owner",
    asksOutside: true,
    summary: "Gives the client a new secret; the one before is good for 24 hours more",
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
    summary: "Removes the gateway with its integrations; it is gone once reading it answers 404",
    status: 202,
    refusals: ["gateway_unavailable"],
    example: {},
  },
} as const satisfies Record<string, Route>;
