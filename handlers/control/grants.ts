// Grants: what each person of a workspace may use. The owner gives and takes them; developers see their own.
import { checkModels, withUsableRegion } from "../../domain/access/grant.ts";
import { pageAnswer } from "../../domain/page.ts";
import { Refusal } from "../../domain/refusal.ts";
import type { Member } from "../middleware/caller.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { grantRoutes } from "./grants.routes.ts";
import type { Operations } from "./operation.ts";

type Dependencies = Pick<ControlDependencies, "grants" | "tenants" | "catalog" | "clock">;

export function grantOperations({ grants, tenants, catalog, clock }: Dependencies): Operations<typeof grantRoutes> {
  return {
    async listGrants({ caller, query }) {
      if (caller.role === "owner") return pageAnswer(await grants.list(caller.tenant_id, query));
      const own = await grants.get(caller.tenant_id, caller.sub);
      return { data: own ? [own] : [] };
    },

    async getGrant({ caller, parameters: { dev_sub } }) {
      requireOwn(caller, dev_sub);
      const grant = await grants.get(caller.tenant_id, dev_sub);
      if (grant) return grant;
      throw missing(dev_sub);
    },

    async putGrant({ caller, parameters: { dev_sub }, body }) {
      checkModels(body, catalog);
      const tenant = await tenants.get(caller.tenant_id);
      const grant = {
        tenant_id: caller.tenant_id,
        dev_sub,
        ...withUsableRegion(body, tenant?.default_region),
        updated_at: new Date(clock()).toISOString(),
        updated_by: caller.sub,
      };
      if (await grants.put(grant)) return grant;
      throw new Refusal("not_found", `dev_sub: ${dev_sub} is not a member of this workspace`);
    },

    async deleteGrant({ caller, parameters: { dev_sub } }) {
      if (!(await grants.delete(caller.tenant_id, dev_sub))) throw missing(dev_sub);
      return undefined;
    },
  };
}

function requireOwn({ role, sub }: Member, devSub: string): void {
  if (role === "owner" || sub === devSub) return;
  throw new Refusal("role_missing", "This needs the role owner; developers see their own grant only");
}

function missing(devSub: string): Refusal {
  return new Refusal("not_found", `dev_sub: ${devSub} has no grant in this workspace`);
}
