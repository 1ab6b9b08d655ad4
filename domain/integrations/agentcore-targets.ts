// Targets and credential providers at AgentCore, as the rules here need them. A target is one integration behind a gateway; a provider
// holds where its credential is kept.
import type { SentSecret } from "../upstream/upstream-auth.ts";

export type TargetDesign = {
  name: string;
  /** The address of an MCP server, an OpenAPI document as JSON, or the ARN of a runtime, which takes the gateway's own signature. */
  upstream: { endpoint: string } | { document: string } | { runtimeArn: string };
  credential?: SentSecret & { providerArn: string };
};

/** `failed`: the target was never ready. `unsuccessful`: its last change did not take effect. `going`: it is being removed. `stuck`: it can be neither changed nor removed now. */
export type TargetState = "pending" | "ready" | "failed" | "unsuccessful" | "going" | "stuck";
export type TargetStatus = { state: TargetState; reason?: string | undefined };

/** Each call throws Refusal gateway_unavailable if AgentCore does not answer, platform_full if there is no room. */
export interface AgentCoreTargets {
  /** The id of the target of this name. */
  find(gatewayId: string, name: string): Promise<string | undefined>;
  /** Begins to make a target. @returns its id */
  create(gatewayId: string, design: TargetDesign): Promise<string>;
  /** Begins to replace the whole definition of a target, which keeps its id. AgentCore lists the tools of an MCP server again. */
  update(gatewayId: string, targetId: string, design: TargetDesign): Promise<void>;
  /** The state of a target; undefined if there is none of this id. */
  status(gatewayId: string, targetId: string): Promise<TargetStatus | undefined>;
  /** Begins to remove a target. Nothing happens if there is none, or its removal has begun. */
  remove(gatewayId: string, targetId: string): Promise<void>;
}

export interface CredentialProviders {
  /** Makes a credential provider, or finds the one of this name. @param secret names the tenant's secret and its member @returns its ARN */
  ensure(provider: { name: string; tenantId: string; secret: { name: string; member: string } }): Promise<string>;
  /** Nothing happens if there is none. AgentCore warns of nothing: it removes one that a target still uses. */
  remove(name: string): Promise<void>;
}
