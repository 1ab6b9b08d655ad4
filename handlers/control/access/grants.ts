// Grants over HTTP. The owner gives and takes them; developers see their own.
import type { Actor } from "../../../domain/access/access-rule.ts";
import type { GrantRecord } from "../../../domain/access/grant.ts";
import { deleteGrant, noGrant, replaceGrant } from "../../../domain/access/grant-change.ts";
import type { Page, PageRequest } from "../../../domain/kernel/page.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { monthSpending } from "../../../domain/reporting/month-budget.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { grantRoutes } from "./grants.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  "grants" | "tenants" | "users" | "spending" | "catalog" | "settings" | "clock" | "newId"
>;

export function grantOperations(deps: Dependencies): Operations<typeof grantRoutes> {
  const { grants, spending, clock } = deps;

  return {
    async listGrants({ caller, query }) {
      const { items, next } = await visible(caller, query);
      const now = clock();
      const subs = items.map(({ dev_sub }) => dev_sub);
      const spentBy = await spending.of(caller.tenantId, subs, monthOf(now));
      const withSpending = items.map((grant) => ({ ...grant, ...monthSpending(spentBy(grant.dev_sub), now) }));
      return pageAnswer({ items: withSpending, next });
    },

    async getGrant({ caller, parameters: { dev_sub } }) {
      requireOwn(caller, dev_sub);
      const grant = await grants.get(caller.tenantId, dev_sub);
      if (grant) return grant;
      throw noGrant(dev_sub);
    },

    putGrant: ({ caller, parameters: { dev_sub }, body, ifMatch }) =>
      replaceGrant(deps, caller, dev_sub, body, ifMatch),

    async deleteGrant({ caller, parameters: { dev_sub }, ifMatch }) {
      await deleteGrant(deps, caller, dev_sub, ifMatch);
      return undefined;
    },
  };

  async function visible({ role, tenantId, sub }: Actor, page: PageRequest): Promise<Page<GrantRecord>> {
    if (role === "owner") return grants.list(tenantId, page);
    const own = await grants.get(tenantId, sub);
    return { items: own ? [own] : [], next: undefined };
  }
}

function requireOwn({ role, sub }: Actor, devSub: string): void {
  if (role === "owner" || sub === devSub) return;
  throw new Refusal("role_missing", "This needs the role owner; developers see their own grant only");
}
