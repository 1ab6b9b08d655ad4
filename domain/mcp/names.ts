// What a workspace's MCP resources are called outside the table. The names are computed, so that a run that was cut off is found again.
import { createHash, createHmac } from "node:crypto";

/**
 * The beginning of every name of a stack's gateways, targets' providers and runtimes: 8 hexadecimal digits. Rights are bound to it,
 * because names are shared by all stacks of an account and leave little room.
 */
export function stackMark(stack: string): string {
  return createHash("sha256").update(stack).digest("hex").slice(0, 8);
}

/** The beginning of the names of a stack's runtimes: unlike a gateway's, one begins with a letter and has no hyphen (API_CreateAgentRuntime.html). */
export function runtimePrefix(stack: string): string {
  return `r${stackMark(stack)}_`;
}

/** A gateway's name: up to 48 letters, digits and single hyphens (API_CreateGateway.html). */
export function gatewayName(stack: string, tenantId: string): string {
  return `${stackMark(stack)}-${tenantId.replaceAll("-", "")}`;
}

/** The tenant of a gateway, by the gateway's name; undefined for a gateway of another stack. */
export function tenantOfGateway(stack: string, name: string): string | undefined {
  const parts = new RegExp(`^${stackMark(stack)}-(.{8})(.{4})(.{4})(.{4})(.{12})$`).exec(name);
  return parts?.slice(1).join("-");
}

/** The names of a gateway's two app clients. */
export function connectorNames(tenantId: string): { confidential: string; public: string } {
  return { confidential: `mcp-${tenantId}`, public: `mcp-${tenantId}-public` };
}

/** The beginning of the names of all secrets that a stack keeps for its tenants. */
export function secretsPrefix(stack: string): string {
  return `archway/${stack}/`;
}

/** @param what names the secret among the tenant's: `gateway`, or `server/<server_id>` */
export function secretName(stack: string, tenantId: string, what: string): string {
  return `${secretsPrefix(stack)}${tenantId}/${what}`;
}

/** Hexadecimal digits of a gateway's mark: 96 bits, which nobody guesses by asking. */
export const markLength = 24;

/**
 * The gateway's segment in the path of its address: its id and our mark on it. The edge relays to nobody whose mark is wrong, so that the
 * platform's name never stands before a gateway of somebody else (components/mcp-gateway/viewer-request.ts).
 */
export function gatewayAddress(gatewayId: string, relayKey: string): string {
  return `${gatewayId}-${createHmac("sha256", relayKey).update(gatewayId).digest("hex").slice(0, markLength)}`;
}
