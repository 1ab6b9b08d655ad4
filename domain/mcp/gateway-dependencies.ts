// What the work on a workspace's MCP gateway needs.
import type { Log } from "../kernel/log.ts";
import type { Queue } from "../kernel/queue.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import type {
  AgentCoreGateways,
  ConnectorClients,
  ConnectorRegistrations,
  GatewayServers,
  TenantSecrets,
} from "./agentcore-gateways.ts";
import type { AddressedGateway, GatewayLeaseDependencies, GatewayStore } from "./gateway.ts";
import type { AgentCoreJob } from "./job.ts";

export type GatewayDependencies = GatewayLeaseDependencies & {
  tenants: Pick<TenantStore, "get">;
  store: GatewayStore;
  gateways: AgentCoreGateways;
  clients: ConnectorClients;
  registrations: ConnectorRegistrations;
  secrets: TenantSecrets;
  servers: GatewayServers;
  jobs: Pick<Queue<AgentCoreJob>, "send" | "sendAll">;
  /** A new UUID. */
  newId: () => string;
  /** A new client secret. */
  newSecret: () => string;
  settings: {
    stack: string;
    /** The key of the marks in gateways' addresses. */
    relayKey: string;
  };
  log: Log;
};

export type ShownGateway = { gateway: AddressedGateway; clientSecret: string };
