// People over HTTP: the owner invites, lists and removes those of the workspace, developers leave it, administrators approve.

import { type Member, removeMember, requireSelf } from "../../../domain/access/member.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { together } from "../../../domain/kernel/together.ts";
import { latestUse } from "../../../domain/keys/last-use.ts";
import { approvePerson } from "../../../domain/people/approval.ts";
import { invitePerson, type MailedInvitation, resendInvitation } from "../../../domain/people/invitation.ts";
import { noSuchPerson, type Profile } from "../../../domain/people/user.ts";
import { monthBudget } from "../../../domain/reporting/month-budget.ts";
import { noteRead } from "../../../domain/workspace/platform-read.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { userRoutes } from "./users.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  | ("accounts" | "approvals" | "audit" | "clock" | "invitations" | "lastUses" | "log" | "mailer")
  | ("members" | "newId" | "settings" | "spending" | "tenants" | "users")
>;

export function userOperations(deps: Dependencies): Operations<typeof userRoutes> {
  const { approvals, clock, lastUses, members, settings, spending, tenants } = deps;

  const shownWithSpending = async (tenantId: string, found: Member[]) => {
    const now = clock();
    const subs = found.map(({ membership }) => membership.sub);
    const [used, spentBy] = await together([
      lastUses.of(found.flatMap(({ keyIds }) => keyIds)),
      spending.of(tenantId, subs, monthOf(now)),
    ]);
    return ({ membership, email, grant, keyIds }: Member) => ({
      ...membership,
      user_id: membership.sub,
      email,
      has_grant: grant !== undefined,
      last_used_at: latestUse(used, keyIds),
      ...monthBudget(spentBy(membership.sub), grant?.monthly_budget_usd, now),
    });
  };

  const existing = async (id: string) => {
    if (await tenants.get(id)) return id;
    throw new Refusal("not_found", `id: there is no workspace ${id} here`);
  };

  return {
    async listUsers({ caller, query: { page, filter } }) {
      const { items, next } = await members.list(caller.tenantId, filter.status, page);
      return pageAnswer({ items: items.map(await shownWithSpending(caller.tenantId, items)), next });
    },

    async listTenantUsers({ caller, parameters: { id }, query: { page, filter } }) {
      await noteRead(deps, caller, await existing(id), "tenant.read_users");
      const { items, next } = await members.list(id, filter.status, page);
      return pageAnswer({ items: items.map(await shownWithSpending(id, items)), next });
    },

    async getUser({ caller, parameters: { user_id } }) {
      const sub = user_id === "me" ? caller.sub : user_id;
      requireSelf(caller, sub);
      const found = await members.get(caller.tenantId, sub);
      if (!found) throw noSuchPerson(user_id);
      return (await shownWithSpending(caller.tenantId, [found]))(found);
    },

    async inviteUser({ caller, body: { email } }) {
      const { newId, create } = await invitePerson(deps, caller, email);
      return { newId, create: async (id) => answerOf(await create(id)) };
    },

    async resendInvitation({ caller, parameters: { user_id } }) {
      return answerOf(await resendInvitation(deps, caller, user_id));
    },

    async removeUser({ caller, parameters: { user_id } }) {
      await removeMember(deps, caller, user_id === "me" ? caller.sub : user_id);
      return undefined;
    },

    async listPendingUsers({ query }) {
      const { items, next } = await approvals.pending(query);
      return pageAnswer({ items: items.map(profileOf), next });
    },

    approveUser: async ({ caller, parameters: { user_id } }) =>
      profileOf(await approvePerson({ ...deps, platform: settings.platform }, caller.sub, user_id)),
  };
}

function profileOf({ sub, ...profile }: Profile) {
  return { user_id: sub, ...profile };
}

function answerOf({ invitation: { sub, email = "", tenant_role, invited_at }, mail }: MailedInvitation) {
  return { user_id: sub, email, tenant_role, invited_at, mail };
}
