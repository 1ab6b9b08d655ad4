// The MCP gateway that a sign-in is for: the one of the parameter `resource` (RFC 8707), else the one to which a fixed client id belongs.
import { type AddressedGateway, type GatewayStore, isAddressed } from "../mcp/gateway.ts";
import { tenantOfGateway } from "../mcp/names.ts";
import type { ConnectorClient } from "./connector-client.ts";

export type GatewayOfSignIn =
  | { gateway: AddressedGateway }
  /** `unnamed`: the request says neither. `unknown`: there is no such gateway. `other`: the fixed id is another gateway's. */
  | { problem: "unnamed" | "unknown" | "other" };

type Dependencies = {
  gateways: Pick<GatewayStore, "get">;
  settings: { origin: string; stack: string };
};

export async function gatewayOfSignIn(
  { gateways, settings }: Dependencies,
  client: ConnectorClient,
  resource: string | undefined,
): Promise<GatewayOfSignIn> {
  const address = resource && gatewayOfResource(settings.origin, resource);
  const named = address ? tenantOfAddress(settings.stack, address) : undefined;
  const own = client.kind === "fixed" ? client.tenantId : undefined;
  if (address === undefined && own === undefined) return { problem: "unnamed" };
  if (address !== undefined && named === undefined) return { problem: "unknown" };
  if (named !== undefined && own !== undefined && named !== own) return { problem: "other" };
  const gateway = await gateways.get(named ?? own ?? "");
  if (!isAddressed(gateway) || gateway.state === "deleting") return { problem: "unknown" };
  return address === undefined || gateway.address === address ? { gateway } : { problem: "unknown" };
}

/** The gateway's segment in an address of this origin; undefined for the origin itself. An address of another origin gives an empty segment. */
function gatewayOfResource(origin: string, resource: string): string | undefined {
  if (resource.replace(/\/$/, "") === origin) return undefined;
  return segmentOf(origin, resource) ?? "";
}

/** The gateway's segment, if `resource` is the whole address of a gateway. */
export function segmentOf(origin: string, resource: string): string | undefined {
  const [, address] = resource.startsWith(`${origin}/`)
    ? (/^\/([0-9a-z-]{1,160})\/mcp\/?$/.exec(resource.slice(origin.length)) ?? [])
    : [];
  return address;
}

/** The tenant by the name in a gateway's id: `<name>-<ten characters>-<mark>`. */
function tenantOfAddress(stack: string, address: string): string | undefined {
  const [, name = ""] = /^(.*)-[0-9a-z]{10}-[0-9a-f]+$/.exec(address) ?? [];
  return tenantOfGateway(stack, name);
}
