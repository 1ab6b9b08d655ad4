// A workspace's MCP gateway with all outside systems in memory, and each of their calls made to fail before or after its effect.
import { setImmediate } from "node:timers/promises";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import type {
  AgentCoreGateways,
  ConnectorClients,
  ConnectorRegistrations,
  TenantSecrets,
} from "../../../domain/mcp/agentcore-gateways.ts";
import type { GatewayLeases, GatewayStore, McpGateway } from "../../../domain/mcp/gateway.ts";
import type { GatewayDependencies } from "../../../domain/mcp/gateway-dependencies.ts";
import type { AgentCoreJob } from "../../../domain/mcp/job.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";

export const tenantId = "9b2f0000-0000-4000-8000-0000000000ac";
export const author = { tenantId, sub: "owner" };

type Client = { name: string; secrets: { secretId: string; value: string; createdAt: number }[] };
type Fault = { call: number; when: "before" | "after" };

export class McpWorld {
  now = Date.UTC(2026, 10, 23);
  tenant: Partial<Tenant> = { tenant_id: tenantId, status: "active", kms_cmk_arn: "key" };
  record: McpGateway | undefined;
  dueAt: string | null = null;
  lease: number | undefined;
  readonly entries: AuditEntry[] = [];
  readonly jobs: AgentCoreJob[] = [];
  readonly gateways = new Map<
    string,
    { name: string; targets: string[]; limited: boolean; state: "pending" | "ready"; isOutdated?: boolean }
  >();
  readonly clients = new Map<string, Client>();
  /** The clients that got today's settings. */
  readonly renewed: string[] = [];
  readonly registered = new Map<string, string>();
  readonly secrets = new Map<string, string>();
  readonly problems: string[] = [];
  /** The account has no room for a further gateway. */
  isFull = false;
  /** What AgentCore says of a gateway in the end. */
  fate: "ready" | "failed" = "ready";
  /** How often a gateway still refuses to go after its targets are gone. */
  lingering = 0;
  fault: Fault | undefined;
  calls = 0;
  #made = 0;

  /** The number of things outside the table, by kind. */
  left() {
    const { gateways, clients, registered, secrets } = this;
    return [gateways.size, clients.size, registered.size, secrets.size];
  }

  get deps(): GatewayDependencies {
    return {
      tenants: { get: async () => this.tenant as Tenant },
      store: this.#store,
      leases: this.#leases,
      gateways: this.#failing(this.#gateways),
      clients: this.#failing(this.#clients),
      registrations: this.#failing(this.#registrations),
      secrets: this.#failing(this.#secrets),
      servers: { removeAll: async () => true },
      jobs: { send: async (job) => void this.jobs.push(job), sendAll: async (jobs) => void this.jobs.push(...jobs) },
      newId: () => this.#next("audit"),
      newSecret: () => this.#next("secret"),
      clock: () => this.now,
      pause: async (milliseconds) => {
        this.now += milliseconds;
        // Others work in the meantime.
        for (let turn = 0; turn < 20; turn++) await setImmediate();
      },
      settings: { stack: "test", relayKey: "k".repeat(32) },
      log: { info: () => {}, problem: (message) => void this.problems.push(message) },
    };
  }

  #next(kind: string): string {
    this.#made += 1;
    return `${kind}-${this.#made}`;
  }

  /** Counts each call, and makes the chosen one fail before or after its effect. */
  #failing<T extends object>(system: T): T {
    const wrapped = Object.entries(system).map(([name, call]) => [
      name,
      async (...args: unknown[]) => {
        this.calls += 1;
        const when = this.fault?.call === this.calls ? this.fault.when : undefined;
        if (when === "before") throw new Error("it failed before");
        const answer = await (call as (...args: unknown[]) => unknown)(...args);
        if (when === "after") throw new Error("it failed after");
        return answer;
      },
    ]);
    return Object.fromEntries(wrapped) as T;
  }

  readonly #store: GatewayStore = {
    get: async () => this.record && { ...this.record },
    begin: async (gateway, dueAt, entry) => {
      if (this.record) throw new Error("a gateway's record is there already");
      [this.record, this.dueAt] = [gateway, dueAt];
      this.entries.push(entry);
    },
    change: async (_, attributes, dueAt, entry) => {
      if (!this.record) throw new Error("a gateway's record is gone");
      this.record = JSON.parse(JSON.stringify({ ...this.record, ...attributes }));
      if (dueAt !== undefined) this.dueAt = dueAt;
      if (entry) this.entries.push(entry);
    },
    remove: async () => {
      [this.record, this.dueAt] = [undefined, null];
    },
    due: async function* (this: McpWorld, until: string) {
      if (this.dueAt !== null && this.dueAt <= until) yield tenantId;
    }.bind(this),
  };

  readonly #leases: GatewayLeases = {
    take: async (_, { now, until }) => {
      if (this.lease !== undefined && this.lease >= now) return false;
      this.lease = until;
      return true;
    },
    release: async () => {
      this.lease = undefined;
    },
  };

  readonly #gateways: AgentCoreGateways = {
    find: async (name) => [...this.gateways].find(([, gateway]) => gateway.name === name)?.[0],
    create: async ({ name }) => {
      if (this.isFull) throw new Refusal("platform_full", "There is no room");
      if ([...this.gateways.values()].some((one) => one.name === name)) throw new Error("the name is taken");
      const id = this.#next(name);
      this.gateways.set(id, { name, targets: [], limited: false, state: "pending" });
      return id;
    },
    outdated: async () => [...this.gateways.values()].filter(({ isOutdated }) => isOutdated).map(({ name }) => name),
    renew: async (id) => {
      const gateway = this.gateways.get(id);
      if (!gateway?.isOutdated) return;
      this.gateways.set(id, { ...gateway, state: "pending", isOutdated: false });
    },
    status: async (id) => {
      const gateway = this.gateways.get(id);
      if (!gateway) return undefined;
      if (gateway.state === "ready") return { state: this.fate, reason: "AgentCore's own words" };
      gateway.state = "ready";
      return { state: "pending" };
    },
    limit: async (id) => {
      const gateway = this.gateways.get(id);
      if (gateway) gateway.limited = true;
    },
    targets: async (id) => [...(this.gateways.get(id)?.targets ?? [])],
    removeTarget: async (id, targetId) => {
      const gateway = this.gateways.get(id);
      if (gateway) gateway.targets = gateway.targets.filter((one) => one !== targetId);
    },
    remove: async (id) => {
      const gateway = this.gateways.get(id);
      if (!gateway) return "gone";
      if (gateway.targets.length > 0 || this.lingering > 0) {
        this.lingering -= 1;
        return "busy";
      }
      this.gateways.delete(id);
      return "going";
    },
  };

  readonly #clients: ConnectorClients = {
    find: async (name) => [...this.clients].find(([, client]) => client.name === name)?.[0],
    create: async ({ name, secret }) => {
      const id = this.#next("client");
      this.clients.set(id, { name, secrets: [] });
      if (secret !== undefined) this.#addSecret(id, secret);
      return id;
    },
    renew: async (id) => {
      if (this.clients.has(id)) this.renewed.push(id);
    },
    remove: async (id) => void this.clients.delete(id),
    secrets: async (id) => this.clients.get(id)?.secrets.map(({ value: _, ...shown }) => shown) ?? [],
    addSecret: async (id, value) => {
      this.now += 1;
      if ((this.clients.get(id)?.secrets.length ?? 0) >= 2) throw new Error("a client has two secrets at the most");
      return this.#addSecret(id, value);
    },
    removeSecret: async (id, secretId) => {
      const client = this.clients.get(id);
      if (client?.secrets.length === 1) throw new Error("the last secret stays");
      if (client) client.secrets = client.secrets.filter((one) => one.secretId !== secretId);
    },
  };

  #addSecret(id: string, value: string): string {
    const secretId = this.#next("id");
    this.clients.get(id)?.secrets.push({ secretId, value, createdAt: this.now });
    return secretId;
  }

  readonly #registrations: ConnectorRegistrations = {
    put: async (clientId, tenant) => void this.registered.set(clientId, tenant),
    remove: async (clientId) => void this.registered.delete(clientId),
  };

  readonly #secrets: TenantSecrets = {
    read: async (name) => this.secrets.get(name),
    create: async ({ name, value }) => {
      if (this.secrets.has(name)) throw new Error("the secret is there already");
      this.secrets.set(name, value);
    },
    put: async (name, value) => void this.secrets.set(name, value),
    remove: async (name) => void this.secrets.delete(name),
  };
}
