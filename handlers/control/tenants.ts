// Workspaces: creating one, and the caller's active one.
import { Refusal } from "../../domain/refusal.ts";
import { slugify } from "../../domain/tenancy/slugify.ts";
import { setupSteps, type Tenant } from "../../domain/tenancy/tenant.ts";
import { createTenant } from "../../domain/tenancy/tenant-creation.ts";
import { activeWorkspace } from "../../domain/tenancy/workspace.ts";
import type { SignedIn } from "../middleware/caller.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { ControlRequest, Operations } from "./operation.ts";
import type { tenantRoutes } from "./tenants.routes.ts";

type Dependencies = Pick<ControlDependencies, "users" | "tenants" | "tenantEffects" | "clock" | "newId" | "settings">;
type CreateRequest = ControlRequest<typeof tenantRoutes.createTenant>;

export function tenantOperations(deps: Dependencies): Operations<typeof tenantRoutes> {
  const { users, tenants, tenantEffects, clock, newId, settings } = deps;

  return {
    async createTenant({ caller, body }) {
      await requireApproval(caller);
      const effects = tenantEffects(caller.client_id);
      return {
        newId: newId(),
        create: async (tenantId) => shown(await createTenant(effects, draft(tenantId, caller, body))),
      };
    },

    async getMyTenant({ caller }) {
      const workspace = await activeWorkspace(await users.record(caller.sub), caller.client_id, tenants);
      if (workspace) return shown(workspace.tenant);
      throw new Refusal("no_active_tenant", "You have no workspace yet, create one with POST /v1/tenants");
    },
  };

  async function requireApproval({ sub }: SignedIn): Promise<void> {
    if (settings.approval === "automatic") return;
    const { profile } = await users.record(sub);
    if (profile?.approval_status === "approved") return;
    throw new Refusal("approval_pending", "Your account waits for approval by the platform's administrators");
  }

  function draft(tenantId: string, { sub }: SignedIn, body: CreateRequest["body"]): Tenant {
    return {
      tenant_id: tenantId,
      name: body.name,
      slug: slugify(body.name),
      owner_sub: sub,
      tier: "starter",
      status: "active",
      has_payment_method: false,
      default_region: body.default_region ?? settings.defaultRegion,
      created_at: new Date(clock()).toISOString(),
      setup_state: { pending: [...setupSteps] },
    };
  }

  function shown(tenant: Tenant) {
    return { ...tenant, proxy_url: `https://${tenant.slug}.${settings.proxyDomain}/${settings.vendorSegment}/v1` };
  }
}
