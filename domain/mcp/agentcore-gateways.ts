// The gateways at AgentCore, as the rules here need them.

/** The definition from which AgentCore makes a gateway. */
export type GatewayDesign = {
  name: string;
  tenantId: string;
  /** The app clients whose tokens the gateway accepts. */
  clientIds: string[];
};

export type GatewayStatus = { state: "pending" | "ready" | "failed"; reason?: string | undefined };

/** Each call throws Refusal gateway_unavailable if AgentCore does not answer or has too much to do. */
export interface AgentCoreGateways {
  /** The id of the gateway of this name. */
  find(name: string): Promise<string | undefined>;
  /** Begins to make a gateway. @returns its id @throws Refusal platform_full if the account has no room for another */
  create(design: GatewayDesign): Promise<string>;
  /** The names of the stack's gateways that an earlier deployment made in another way than today's. */
  outdated(): Promise<string[]>;
  /** Begins to change a gateway into what would be made today. Nothing happens if it is that already. */
  renew(gatewayId: string, design: GatewayDesign): Promise<void>;
  /** The state of a gateway; undefined if there is none of this id. */
  status(gatewayId: string): Promise<GatewayStatus | undefined>;
  /** Bounds the calls of one gateway. May be repeated. */
  limit(gatewayId: string, tenantId: string): Promise<void>;
  /** Ids of the gateway's targets, those that are being removed included. */
  targets(gatewayId: string): Promise<string[]>;
  /** Begins to remove a target. Nothing happens if there is none, or its removal has begun. */
  removeTarget(gatewayId: string, targetId: string): Promise<void>;
  /** Removes the gateway. `busy`: AgentCore still sees targets on it and removes nothing. `going`: the removal has begun. */
  remove(gatewayId: string): Promise<"gone" | "going" | "busy">;
}

/** The two app clients of each gateway, at the user pool. */
export interface ConnectorClients {
  find(name: string): Promise<string | undefined>;
  /** @param secret of our choice; a client without one is public @returns its id @throws Refusal platform_full if the pool is full */
  create(client: { name: string; secret?: string }): Promise<string>;
  /** Gives a client the settings that it would be made with today. Its secrets stay. Nothing happens if there is none. */
  renew(clientId: string, name: string): Promise<void>;
  /** Removes a client. Nothing happens if there is none. */
  remove(clientId: string): Promise<void>;
  /** The client's valid secrets, the oldest first. */
  secrets(clientId: string): Promise<{ secretId: string; createdAt: number }[]>;
  /** @returns its id */
  addSecret(clientId: string, secret: string): Promise<string>;
  /** Removes a secret of a client. Nothing happens if there is none. */
  removeSecret(clientId: string, secretId: string): Promise<void>;
}

/** The records by which the user pool's triggers know a connector's clients. */
export interface ConnectorRegistrations {
  put(clientId: string, tenantId: string): Promise<void>;
  remove(clientId: string): Promise<void>;
}

/** Secrets of tenants, each under its tenant's own key. */
export interface TenantSecrets {
  read(name: string): Promise<string | undefined>;
  create(secret: { name: string; value: string; tenantId: string; keyArn: string }): Promise<void>;
  put(name: string, value: string): Promise<void>;
  /** Removes a secret at once, so that its name is free. Nothing happens if there is none. */
  remove(name: string): Promise<void>;
}

/** The integrations of a gateway, with their targets, providers, runtimes and secrets. */
export interface GatewayServers {
  /** @returns false if something is still going; a repeat goes on */
  removeAll(tenantId: string): Promise<boolean>;
}
