// The routes of the workspace's MCP gateway, as data.
import * as z from "zod";
import { gatewayStates } from "../../../domain/mcp/gateway.ts";
import type { Route } from "../routing/route.ts";

const gateway = z.object({
  /** The address for an MCP client; null until the gateway has one. */
  endpoint: z.url().nullable(),
  /** The client for a connector's form, which also asks for a secret. */
  client_id: z.string().nullable(),
  /** The client for programs on people's machines, which keep no secret: code flow with PKCE. */
  public_client_id: z.string().nullable(),
  /** `creating` takes a minute; `failed` says why in `reason`. */
  state: z.enum(gatewayStates),
  reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  secret_rotated_at: z.iso.datetime().nullable(),
  /** Until when the secret before the present one is good; null if there is none. */
  previous_secret_until: z.iso.datetime().nullable(),
});

/** With the client's secret, which no other answer shows. */
const shown = gateway.extend({
  endpoint: z.url(),
  client_id: z.string(),
  client_secret: z.string(),
  public_client_id: z.string(),
  /** Lines for a shell. */
  commands: z.object({ claude_code: z.string(), inspector: z.string() }),
});

const example = {
  endpoint:
    "https://mcp.archway.example/0123abcd-9b2f00000000400080000000000000ac-abcde12345-9899f40b482859c7d2115060/mcp",
  client_id: "4nexampleclient",
  public_client_id: "7kexampleclient",
  state: "ready",
  reason: null,
  created_at: "2026-11-23T10:00:00.000Z",
  secret_rotated_at: null,
  previous_secret_until: null,
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
    summary: "Creates the workspace's MCP gateway, or shows the one that it has, with the client's secret",
    response: shown,
    refusals: ["conflict", "not_found", "gateway_unavailable"],
    example: { response: { ...shownExample, state: "creating" } },
  },
  getMcpGateway: {
    method: "GET",
    path,
    access: "owner",
    summary: "Shows the workspace's MCP gateway, without the secret",
    response: gateway,
    refusals: ["not_found"],
    example: { response: example },
  },
  rotateMcpGatewaySecret: {
    method: "POST",
    path: `${path}/rotate-secret`,
    access: "owner",
    summary: "Gives the client a new secret; the one before is good for 24 hours more",
    response: shown,
    refusals: ["conflict", "not_found", "gateway_unavailable"],
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
    summary: "Removes the gateway with its integrations; it is gone once reading it answers 404",
    status: 202,
    refusals: ["not_found", "gateway_unavailable"],
    example: {},
  },
} as const satisfies Record<string, Route>;
