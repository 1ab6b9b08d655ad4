// The caller over HTTP: profile, memberships, active workspace, and the budget that is left.
import { accessOf } from "../../../domain/access/grant.ts";
import { declineInvitation } from "../../../domain/access/member.ts";
import { signOutEverywhere } from "../../../domain/access/sign-out.ts";
import { isCapped } from "../../../domain/budget/workspace-cap.ts";
import { modelsFor } from "../../../domain/catalog/availability.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import { together } from "../../../domain/kernel/together.ts";
import { acceptInvitation, noInvitation } from "../../../domain/people/acceptance.ts";
import { activeWorkspace, type Workspace } from "../../../domain/people/active-workspace.ts";
import { type Membership, otherAccounts } from "../../../domain/people/user.ts";
import { freeCredit } from "../../../domain/reporting/free-credit.ts";
import { monthBudget } from "../../../domain/reporting/month-budget.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { meRoutes } from "./me.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  | ("users" | "members" | "signOuts" | "accounts" | "tenants" | "grants")
  | ("spending" | "billing" | "payments" | "catalog" | "clock" | "newId")
>;

export function meOperations(deps: Dependencies): Operations<typeof meRoutes> {
  const { users, tenants, grants, spending, billing, payments, catalog, clock } = deps;

  return {
    async signOutEverywhere({ caller }) {
      await signOutEverywhere(deps, caller.sub);
      return undefined;
    },

    async acceptInvitation({ caller, parameters: { id } }) {
      const tenant = await tenants.get(id);
      if (!tenant || tenant.status === "deleted") throw noInvitation(id);
      return withTenant(await acceptInvitation(deps, caller.sub, id), tenant);
    },

    async declineInvitation({ caller, parameters: { id } }) {
      await declineInvitation(deps, caller.sub, id);
      return undefined;
    },

    async getMe({ caller }) {
      const record = await users.record(caller.sub);
      // A removed person is shown nothing more of the workspace.
      const current = record.memberships.filter(({ status }) => status !== "removed");
      const [read, others] = await together([
        tenants.many(current.map(({ tenant_id }) => tenant_id)),
        record.profile?.email_verified ? otherAccounts(users, record.profile) : [],
      ]);
      const tenantOf = new Map(read.map((tenant) => [tenant.tenant_id, tenant]));
      const known = { get: async (tenantId: string) => tenantOf.get(tenantId) };
      const next = await activeWorkspace(record, caller.clientId, known);
      const now = workspaceIn(tenantOf.get(caller.tenantId ?? ""), current);
      const [budget, credit] = await together([now && budgetIn(now), now && billing.credit(now.tenant.tenant_id)]);
      return {
        user_id: caller.sub,
        email: record.profile?.email,
        approval_status: record.profile?.approval_status,
        platform_role: caller.platformRole,
        tenant_id: now?.tenant.tenant_id,
        tenant_role: now?.membership.tenant_role,
        next_tenant_id: next?.tenant.tenant_id,
        memberships: record.memberships.map((membership) => withTenant(membership, tenantOf.get(membership.tenant_id))),
        budget,
        ...(others.length > 0 && { other_accounts: others }),
        free_credit: payments && credit && freeCredit(credit),
        ...(payments && now && { has_payment_method: now.tenant.has_payment_method }),
      };
    },
  };

  /** Undefined for a member without a grant. */
  async function budgetIn({ tenant, membership: { sub } }: Workspace) {
    const { tenant_id } = tenant;
    const now = clock();
    const month = monthOf(now);
    const [grant, spentBy] = await together([grants.get(tenant_id, sub), spending.of(tenant_id, [sub], month)]);
    if (!grant && tenant.owner_sub !== sub) return undefined;
    const access = accessOf(grant);
    return {
      ...monthBudget(spentBy(sub), grant?.monthly_budget_usd, now),
      models: modelsFor(catalog, access, now).map(({ id }) => id),
      regions: [...access.allowed_regions],
      default_region: grant?.default_region ?? tenant.default_region,
      workspace_capped: isCapped(tenant, month),
    };
  }
}

/** Undefined for a person who is no active member of the tenant. */
function workspaceIn(tenant: Tenant | undefined, memberships: readonly Membership[]): Workspace | undefined {
  const membership = memberships.find(({ tenant_id }) => tenant_id === tenant?.tenant_id);
  if (!tenant || tenant.status === "deleted" || membership?.status !== "active") return undefined;
  return { tenant, membership };
}

function withTenant(membership: Membership, tenant: Tenant | undefined) {
  if (!tenant) return membership;
  return { ...membership, tenant_name: tenant.name, tenant_slug: tenant.slug, tenant_status: tenant.status };
}
