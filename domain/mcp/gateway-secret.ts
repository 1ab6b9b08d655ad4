// The client secret of a workspace's gateway. It is kept under the tenant's key, with the id that the user pool gave it, and nowhere else.
import { dayMs } from "../kernel/period.ts";
import { Refusal } from "../kernel/refusal.ts";
import { type Author, entryBy } from "../workspace/audit.ts";
import { isAddressed, underLease } from "./gateway.ts";
import type { GatewayDependencies, ShownGateway } from "./gateway-dependencies.ts";
import { secretName } from "./names.ts";

export type SecretDocument = {
  client_secret: string;
  /** Missing until the first rotation: a client's first secret has no id when it is made. */
  secret_id?: string;
};

/** The time for which the previous secret stays valid after a rotation. */
const retirementMs = dayMs;

type Dependencies = Pick<GatewayDependencies, "secrets" | "settings">;

export async function presentSecret(
  { secrets, settings }: Dependencies,
  tenantId: string,
): Promise<string | undefined> {
  const kept = await secrets.read(secretName(settings.stack, tenantId, "gateway"));
  return kept === undefined ? undefined : (JSON.parse(kept) as SecretDocument).client_secret;
}

/**
 * The client keeps its id and gets a further secret; the one before is good for a day more. The document names the secret that is shown, so
 * a run that was cut off is told apart: a newer secret at the pool was never shown, an older one is to retire.
 * @throws Refusal not_found, or previous_secret_valid while an earlier secret is still good, since a client has two at the most
 */
export async function rotateSecret(deps: GatewayDependencies, author: Author): Promise<ShownGateway> {
  const { tenantId } = author;
  return underLease(deps, tenantId, async () => {
    const { store, clients, secrets, settings, newSecret, clock } = deps;
    const gateway = await store.get(tenantId);
    if (!isAddressed(gateway) || gateway.state === "deleting") {
      throw new Refusal("not_found", "The workspace has no MCP gateway: create it with POST /v1/mcp-gateway");
    }
    if (gateway.retiring_secret) {
      const { until } = gateway.retiring_secret;
      const message = `The secret before the present one is good until ${until}, and a client has two at the most`;
      throw new Refusal("previous_secret_valid", `${message}. POST /v1/mcp-gateway shows the present one`);
    }
    const name = secretName(settings.stack, tenantId, "gateway");
    const document = JSON.parse((await secrets.read(name)) ?? "{}") as Partial<SecretDocument>;
    const known = await clients.secrets(gateway.client_id);
    const present = known.find(({ secretId }) => secretId === document.secret_id) ?? known[0];
    if (!present) throw new Error("the gateway's client has no secret");
    const others = known.filter(({ secretId }) => secretId !== present.secretId);
    const older = others.find(({ createdAt }) => createdAt < present.createdAt);
    if (older && document.client_secret !== undefined) {
      return retire(older.secretId, document.client_secret);
    }
    for (const { secretId } of others) await clients.removeSecret(gateway.client_id, secretId);
    const clientSecret = newSecret();
    const secretId = await clients.addSecret(gateway.client_id, clientSecret);
    const next: SecretDocument = { client_secret: clientSecret, secret_id: secretId };
    await secrets.put(name, JSON.stringify(next));
    return retire(present.secretId, clientSecret);

    async function retire(retired: string, clientSecret: string): Promise<ShownGateway> {
      const now = clock();
      const until = new Date(now + retirementMs).toISOString();
      const change = {
        secret_rotated_at: new Date(now).toISOString(),
        retiring_secret: { secret_id: retired, until },
      };
      const told = { secret_rotated_at: change.secret_rotated_at };
      const entry = entryBy(deps, author, { action: "mcp_gateway.rotate", target: tenantId, after: told });
      await store.change(tenantId, change, gateway?.state === "creating" ? undefined : until, entry);
      return { gateway: { ...(gateway as ShownGateway["gateway"]), ...change }, clientSecret };
    }
  });
}
