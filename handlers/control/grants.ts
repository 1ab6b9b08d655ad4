// Grants: what each person of a workspace may use. The owner gives and takes them; developers see their own.
import { checkModels, type GrantRecord, givesTheSame, withUsableRegion } from "../../domain/access/grant.ts";
import { monthSpending } from "../../domain/budget/month-budget.ts";
import { type Page, type PageRequest, pageAnswer } from "../../domain/kernel/page.ts";
import { monthOf } from "../../domain/kernel/period.ts";
import { requireVersion } from "../../domain/kernel/precondition.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { auditEntry } from "../../domain/workspace/audit.ts";
import type { Member } from "../middleware/caller.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { grantRoutes } from "./grants.routes.ts";
import type { Operations } from "./routing/operation.ts";

type Dependencies = Pick<ControlDependencies, "grants" | "tenants" | "spending" | "catalog" | "clock" | "newId">;

export function grantOperations(deps: Dependencies): Operations<typeof grantRoutes> {
  const { grants, tenants, spending, catalog, clock, newId } = deps;

  return {
    async listGrants({ caller, query }) {
      const { items, next } = await visible(caller, query);
      const now = clock();
      const subs = items.map(({ dev_sub }) => dev_sub);
      const spentBy = await spending.of(caller.tenant_id, subs, monthOf(now));
      const withSpending = items.map((grant) => ({ ...grant, ...monthSpending(spentBy(grant.dev_sub), now) }));
      return pageAnswer({ items: withSpending, next });
    },

    async getGrant({ caller, parameters: { dev_sub } }) {
      requireOwn(caller, dev_sub);
      const grant = await grants.get(caller.tenant_id, dev_sub);
      if (grant) return grant;
      throw missing(dev_sub);
    },

    async putGrant({ caller, parameters: { dev_sub }, body, ifMatch }) {
      checkModels(body, catalog);
      const tenant = await tenants.get(caller.tenant_id);
      for (let attempt = 0; attempt < attempts; attempt++) {
        const before = await grants.get(caller.tenant_id, dev_sub);
        requireVersion(ifMatch, before?.updated_at ?? "0");
        // Later than the one before: the time is the version.
        const now = Math.max(clock(), before ? Date.parse(before.updated_at) + 1 : 0);
        const grant = {
          tenant_id: caller.tenant_id,
          dev_sub,
          ...withUsableRegion(body, tenant?.default_region),
          updated_at: new Date(now).toISOString(),
          updated_by: caller.sub,
        };
        if (before && givesTheSame(before, grant)) return before;
        const entry = entryOf(caller, "grant.put", dev_sub, before, grant);
        const written = await grants.put(grant, { before, entry });
        if (written === true) return grant;
        if (!written) throw new Refusal("not_found", `dev_sub: ${dev_sub} is not a member of this workspace`);
      }
      throw new Refusal("conflict", "The grant is being changed by others, try again");
    },

    async deleteGrant({ caller, parameters: { dev_sub }, ifMatch }) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const before = await grants.get(caller.tenant_id, dev_sub);
        if (!before) throw missing(dev_sub);
        requireVersion(ifMatch, before.updated_at);
        const entry = entryOf(caller, "grant.delete", dev_sub, before, undefined);
        if (await grants.delete(caller.tenant_id, dev_sub, { before, entry })) return undefined;
      }
      throw new Refusal("conflict", "The grant is being changed by others, try again");
    },
  };

  async function visible({ role, tenant_id, sub }: Member, page: PageRequest): Promise<Page<GrantRecord>> {
    if (role === "owner") return grants.list(tenant_id, page);
    const own = await grants.get(tenant_id, sub);
    return { items: own ? [own] : [], next: undefined };
  }

  function entryOf(
    { tenant_id, sub }: Member,
    action: `grant.${string}`,
    target: string,
    before: GrantRecord | undefined,
    after: GrantRecord | undefined,
  ) {
    return auditEntry({ tenant_id, actor: sub, action, target, before, after }, { id: newId(), now: clock() });
  }
}

/** A change that meets another one is made anew on what that one wrote. */
const attempts = 10;

function requireOwn({ role, sub }: Member, devSub: string): void {
  if (role === "owner" || sub === devSub) return;
  throw new Refusal("role_missing", "This needs the role owner; developers see their own grant only");
}

function missing(devSub: string): Refusal {
  return new Refusal("not_found", `dev_sub: ${devSub} has no grant in this workspace`);
}
