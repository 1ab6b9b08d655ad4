// What the jobs of the function `agentcore` do for a gateway: they wait until it is ready, retire its old secret, and remove it.

import type { McpGateway } from "./gateway.ts";
import { underLease } from "./gateway.ts";
import type { GatewayDependencies } from "./gateway-dependencies.ts";
import { removeGateway } from "./gateway-removal.ts";
import { provision } from "./gateway-setup.ts";
import { type AgentCoreJob, waiting } from "./job.ts";

/** A run goes on for so long; the schedule takes up what is left. */
export const runMs = 90_000;

/** Called for each job. It may be repeated, and does nothing for a gateway that needs nothing. */
export async function processGateway(deps: GatewayDependencies, tenantId: string): Promise<void> {
  await underLease(deps, tenantId, async () => {
    const { store, tenants, clock } = deps;
    const until = clock() + runMs;
    const gateway = await store.get(tenantId);
    if (!gateway) return;
    if (gateway.state === "deleting") {
      if (!(await removeGateway(deps, gateway, until))) throw new Error("a gateway's removal goes on in another run");
      return;
    }
    const tenant = await tenants.get(tenantId);
    if (gateway.state === "creating" && tenant?.status === "active") {
      const { gateway: made } = await provision(deps, tenant, gateway);
      await awaitReady(deps, made, until);
    }
    await retireSecret(deps, gateway);
  });
}

/** Called by the schedule: queues what was cut off and what is due by now. */
export async function queueDueGateways({ store, jobs, clock }: GatewayDependencies): Promise<void> {
  const due: AgentCoreJob[] = [];
  const until = new Date(clock()).toISOString();
  for await (const tenantId of store.due(until)) due.push({ kind: "gateway", tenant_id: tenantId });
  await jobs.sendAll(due);
}

async function awaitReady(deps: GatewayDependencies, gateway: McpGateway, until: number): Promise<void> {
  const { gateways, store, log } = deps;
  const { tenant_id: tenantId, gateway_id: gatewayId = "" } = gateway;
  const dueAt = gateway.retiring_secret?.until ?? null;
  const again = waiting(deps, until);
  do {
    const status = await gateways.status(gatewayId);
    if (status?.state === "ready") {
      await gateways.limit(gatewayId, tenantId);
      return store.change(tenantId, { state: "ready", reason: undefined }, dueAt);
    }
    if (status?.state !== "pending") {
      log.problem("A gateway could not be made", { tenant_id: tenantId, reason: status?.reason });
      const reason = "The gateway service could not make the gateway: delete it, and create it anew";
      return store.change(tenantId, { state: "failed", reason }, dueAt);
    }
  } while (await again());
  throw new Error("a gateway is not ready yet");
}

async function retireSecret({ store, clients, clock }: GatewayDependencies, gateway: McpGateway): Promise<void> {
  const { tenant_id: tenantId, client_id: clientId, retiring_secret: retiring } = gateway;
  if (!retiring || clientId === undefined || Date.parse(retiring.until) > clock()) return;
  await clients.removeSecret(clientId, retiring.secret_id);
  await store.change(tenantId, { retiring_secret: undefined }, null);
}
