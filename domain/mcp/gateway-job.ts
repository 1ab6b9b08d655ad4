// What the jobs of the function `agentcore` do for a gateway: they wait until it is ready, bring it to how gateways are made today, retire
// its old secret, and remove it.
import { isAddressed, type McpGateway, underLease } from "./gateway.ts";
import type { GatewayDependencies } from "./gateway-dependencies.ts";
import { removeGateway } from "./gateway-removal.ts";
import { gatewayDesign, provision } from "./gateway-setup.ts";
import { type AgentCoreJob, waiting } from "./job.ts";
import { connectorNames, tenantOfGateway } from "./names.ts";

/** The longest time of a run; the schedule takes up what it leaves. */
const runMs = 90_000;

/** Carries out one job. It may be repeated, and does nothing for a gateway that needs nothing. */
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
    if (gateway.state === "ready") await renew(deps, gateway, until);
    await retireSecret(deps, gateway);
  });
}

/** Queues a job for each gateway whose work was cut off, whose old secret is due, or that an earlier deployment made in another form. */
export async function queueDueGateways({ store, gateways, jobs, settings, clock }: GatewayDependencies): Promise<void> {
  const due = new Set<string>();
  for await (const tenantId of store.due(new Date(clock()).toISOString())) due.add(tenantId);
  for (const name of await gateways.outdated()) {
    const tenantId = tenantOfGateway(settings.stack, name);
    if (tenantId !== undefined) due.add(tenantId);
  }
  await jobs.sendAll([...due].map((tenantId): AgentCoreJob => ({ kind: "gateway", tenant_id: tenantId })));
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

/**
 * Brings a gateway of before to today's form, with its app clients. It keeps its id, its targets and its address, and they their ids and secrets. That it was brought there is written nowhere: the next
 * run of the schedule sees by the gateway's description whether the change took effect.
 */
async function renew(
  { gateways, clients, settings, log, ...deps }: GatewayDependencies,
  gateway: McpGateway,
  until: number,
) {
  const { tenant_id: tenantId, gateway_id: gatewayId } = gateway;
  if (!isAddressed(gateway) || gatewayId === undefined) return;
  // The clients come first: the gateway's description then says that all of it is of today.
  const names = connectorNames(tenantId);
  await clients.renew(gateway.client_id, names.confidential);
  await clients.renew(gateway.public_client_id, names.public);
  const clientIds = [gateway.client_id, gateway.public_client_id];
  await gateways.renew(gatewayId, gatewayDesign(settings.stack, tenantId, clientIds));
  // No target can be changed while its gateway changes.
  const again = waiting(deps, until);
  do {
    const status = await gateways.status(gatewayId);
    if (status?.state === "ready") return;
    if (status?.state !== "pending") {
      log.problem("A gateway could not be brought to its present form", { tenant_id: tenantId, ...status });
      return;
    }
  } while (await again());
}

async function retireSecret({ store, clients, clock }: GatewayDependencies, gateway: McpGateway): Promise<void> {
  const { tenant_id: tenantId, client_id: clientId, retiring_secret: retiring } = gateway;
  if (!retiring || clientId === undefined || Date.parse(retiring.until) > clock()) return;
  await clients.removeSecret(clientId, retiring.secret_id);
  await store.change(tenantId, { retiring_secret: undefined }, null);
}
