// Removing a workspace's gateway: first what hangs on it, then who may use it, then the gateway, and its record last.
import { type Author, entryBy } from "../workspace/audit.ts";
import type { AgentCoreGateways } from "./agentcore-gateways.ts";
import type { McpGateway } from "./gateway.ts";
import type { GatewayDependencies } from "./gateway-dependencies.ts";
import { type WaitDependencies, waiting } from "./job.ts";
import { connectorNames, gatewayName, secretName } from "./names.ts";

/** Says that the gateway is to go, and has a job do it. May be repeated, also once it is gone. */
export async function requestRemoval(deps: GatewayDependencies, author: Author): Promise<void> {
  const { tenantId } = author;
  const { store, jobs, clock } = deps;
  const gateway = await store.get(tenantId);
  if (!gateway) return;
  if (gateway.state !== "deleting") {
    const entry = entryBy(deps, author, { action: "mcp_gateway.delete", target: tenantId });
    await store.change(tenantId, { state: "deleting" }, new Date(clock()).toISOString(), entry);
  }
  await jobs.send({ kind: "gateway", tenant_id: tenantId });
}

/**
 * To be called under the lease. What is already gone is passed over, so that a repeat goes on.
 * @returns false if the time was over before all was gone
 */
export async function removeGateway(deps: GatewayDependencies, gateway: McpGateway, until: number): Promise<boolean> {
  const { store, gateways, servers, settings } = deps;
  const { tenant_id: tenantId } = gateway;
  const gatewayId = gateway.gateway_id ?? (await gateways.find(gatewayName(settings.stack, tenantId)));
  if (!(await servers.removeAll(tenantId))) return false;
  if (gatewayId !== undefined && !(await removeTargets(deps, gatewayId, until))) return false;
  await removeAccess(deps, gateway);
  if (gatewayId !== undefined && !(await removeItself(deps, gatewayId, until))) return false;
  await store.remove(tenantId);
  return true;
}

/** Removes the clients and their secret. */
export async function removeAccess(deps: GatewayDependencies, gateway: McpGateway): Promise<void> {
  const { clients, registrations, secrets, settings } = deps;
  const names = connectorNames(gateway.tenant_id);
  const known = [
    [names.confidential, gateway.client_id],
    [names.public, gateway.public_client_id],
  ] as const;
  for (const [name, noted] of known) {
    const clientId = noted ?? (await clients.find(name));
    if (clientId === undefined) continue;
    await clients.remove(clientId);
    await registrations.remove(clientId);
  }
  await secrets.remove(secretName(settings.stack, gateway.tenant_id, "gateway"));
}

type Removal = WaitDependencies & { gateways: AgentCoreGateways };

/** Removes targets that no job has removed: a registration that was cut off may have left one. */
async function removeTargets({ gateways, ...deps }: Removal, gatewayId: string, until: number): Promise<boolean> {
  const again = waiting(deps, until);
  do {
    const targets = await gateways.targets(gatewayId);
    if (targets.length === 0) return true;
    for (const targetId of targets) await gateways.removeTarget(gatewayId, targetId);
  } while (await again());
  return false;
}

/** Removes the gateway at AgentCore, which still sees targets for a while after the last one is gone. */
async function removeItself({ gateways, ...deps }: Removal, gatewayId: string, until: number): Promise<boolean> {
  const again = waiting(deps, until);
  do {
    if ((await gateways.remove(gatewayId)) === "gone") return true;
  } while (await again());
  return false;
}
