// Setting a workspace's gateway up. Each step is noted as soon as it is done, and looked for before it is done again, so that a repeat
// ends in one gateway with two clients and one secret.
import { Refusal } from "../kernel/refusal.ts";
import { type Author, entryBy } from "../workspace/audit.ts";
import type { Tenant } from "../workspace/tenant.ts";
import type { GatewayDesign } from "./agentcore-gateways.ts";
import { isAddressed, type McpGateway, underLease } from "./gateway.ts";
import type { GatewayDependencies, ShownGateway } from "./gateway-dependencies.ts";
import { removeAccess } from "./gateway-removal.ts";
import { presentSecret, type SecretDocument } from "./gateway-secret.ts";
import { connectorNames, gatewayAddress, gatewayName, secretName } from "./names.ts";

/** A run that was cut off is taken up again after this. */
const cutOffMs = 300_000;

/**
 * Answers as soon as the gateway has its address; a job waits until it is ready. May be repeated.
 * @throws Refusal not_found, platform_full, gateway_deleting, workspace_incomplete, changed_meanwhile or gateway_unavailable
 */
export async function setUpGateway(deps: GatewayDependencies, author: Author): Promise<ShownGateway> {
  const { tenantId } = author;
  const known = await deps.store.get(tenantId);
  if (known?.state !== "deleting" && isAddressed(known)) {
    const clientSecret = await presentSecret(deps, tenantId);
    if (clientSecret !== undefined) return { gateway: known, clientSecret };
  }
  return underLease(deps, tenantId, async () => {
    const tenant = await activeTenant(deps, tenantId);
    const gateway = await deps.store.get(tenantId);
    if (gateway?.state === "deleting") {
      const message = "The workspace's MCP gateway is being deleted: create it anew once it is gone";
      throw new Refusal("gateway_deleting", message);
    }
    const shown = await provision(deps, tenant, gateway ?? author);
    await deps.jobs.send({ kind: "gateway", tenant_id: tenantId });
    return shown;
  });
}

/** Everything up to the address. To be called under the lease. @param from the record of an earlier run, or who asks for the first one */
export async function provision(
  deps: GatewayDependencies,
  tenant: Tenant,
  from: McpGateway | Author,
): Promise<ShownGateway> {
  const { store, settings, clock } = deps;
  const { tenant_id: tenantId } = tenant;
  const now = clock();
  const begun: McpGateway = { tenant_id: tenantId, state: "creating", created_at: new Date(now).toISOString() };
  const known = "state" in from ? from : undefined;
  if ("sub" in from) {
    const entry = entryBy(deps, from, { action: "mcp_gateway.create", target: tenantId });
    await store.begin(begun, new Date(now + cutOffMs).toISOString(), entry);
  }
  const gateway = known ?? begun;
  try {
    const { client_secret: clientSecret } = await secretOf(deps, tenant);
    const names = connectorNames(tenantId);
    const clientId = gateway.client_id ?? (await client(names.confidential, clientSecret));
    const publicClientId = gateway.public_client_id ?? (await client(names.public));
    await store.change(tenantId, { client_id: clientId, public_client_id: publicClientId });
    // The triggers give no token to a client that they do not know.
    for (const id of [clientId, publicClientId]) await deps.registrations.put(id, tenantId);
    const design = gatewayDesign(settings.stack, tenantId, [clientId, publicClientId]);
    const gatewayId =
      gateway.gateway_id ?? (known && (await deps.gateways.find(design.name))) ?? (await deps.gateways.create(design));
    const address = gatewayAddress(gatewayId, settings.relayKey);
    const made = { client_id: clientId, public_client_id: publicClientId, gateway_id: gatewayId, address };
    await store.change(tenantId, { gateway_id: gatewayId, address });
    return { gateway: { ...gateway, ...made }, clientSecret };
  } catch (error) {
    if (!known && isRefused(error)) await giveUp(deps, tenantId);
    throw error;
  }

  async function client(clientName: string, secret?: string): Promise<string> {
    const found = known && (await deps.clients.find(clientName));
    return found ?? (await deps.clients.create({ name: clientName, ...(secret !== undefined && { secret }) }));
  }
}

export function gatewayDesign(stack: string, tenantId: string, clientIds: string[]): GatewayDesign {
  return { name: gatewayName(stack, tenantId), tenantId, clientIds };
}

async function secretOf(
  { secrets, settings, newSecret }: GatewayDependencies,
  tenant: Tenant,
): Promise<SecretDocument> {
  const { tenant_id: tenantId, kms_cmk_arn: keyArn } = tenant;
  const name = secretName(settings.stack, tenantId, "gateway");
  const kept = await secrets.read(name);
  if (kept !== undefined) return JSON.parse(kept) as SecretDocument;
  if (keyArn === undefined) {
    const message = "The workspace's encryption key is still being made: try again in a few minutes";
    throw new Refusal("workspace_incomplete", message);
  }
  const document: SecretDocument = { client_secret: newSecret() };
  await secrets.create({ name, value: JSON.stringify(document), tenantId, keyArn });
  return document;
}

/** Removes all that a creation has made for which the account has no room. */
async function giveUp(deps: GatewayDependencies, tenantId: string): Promise<void> {
  const gateway = await deps.store.get(tenantId);
  if (gateway) await removeAccess(deps, gateway);
  await deps.store.remove(tenantId);
}

function isRefused(error: unknown): boolean {
  return error instanceof Refusal && error.code === "platform_full";
}

async function activeTenant({ tenants }: GatewayDependencies, tenantId: string): Promise<Tenant> {
  const tenant = await tenants.get(tenantId);
  if (tenant?.status === "active") return tenant;
  throw new Refusal("not_found", "There is no active workspace with this id");
}
