// People: the owner invites, lists and removes those of the workspace, and a developer leaves it. Platform administrators approve.

import type { Member as Person } from "../../domain/access/member.ts";
import { monthSpending } from "../../domain/budget/month-budget.ts";
import { pageAnswer } from "../../domain/kernel/page.ts";
import { monthOf } from "../../domain/kernel/period.ts";
import { fieldRefusal, Refusal } from "../../domain/kernel/refusal.ts";
import { auditEntry, platformTrail } from "../../domain/workspace/audit.ts";
import {
  type Invitation,
  invitationMail,
  type MailSent,
  mailPauseMs,
  nextMailAt,
} from "../../domain/workspace/invitation.ts";
import type { Membership } from "../../domain/workspace/user.ts";
import type { Member, Owner } from "../middleware/caller.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { Operations } from "./routing/operation.ts";
import type { userRoutes } from "./users.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  | ("accounts" | "approvals" | "clock" | "invitations" | "lastUses" | "log" | "mailer")
  | ("members" | "newId" | "settings" | "spending" | "tenants" | "users")
>;

export function userOperations(deps: Dependencies): Operations<typeof userRoutes> {
  const { accounts, approvals, clock, invitations, lastUses, log, mailer } = deps;
  const { members, newId, settings, spending, tenants, users } = deps;

  return {
    async listUsers({ caller, query: { page, filter } }) {
      const { items, next } = await members.list(caller.tenant_id, filter.status, page);
      const now = clock();
      const subs = items.map(({ membership }) => membership.sub);
      const [used, spentBy] = await Promise.all([
        lastUses.of(items.flatMap(({ keyIds }) => keyIds)),
        spending.of(caller.tenant_id, subs, monthOf(now)),
      ]);
      const shown = items.map(({ membership, email, hasGrant, keyIds }: Person) => ({
        ...membership,
        user_id: membership.sub,
        email,
        has_grant: hasGrant,
        last_used_at: latest(keyIds.map((keyId) => used.get(keyId))),
        ...monthSpending(spentBy(membership.sub), now),
      }));
      return pageAnswer({ items: shown, next });
    },

    async inviteUser({ caller, body: { email } }) {
      const { profile } = await users.record(caller.sub);
      if (profile?.email.toLowerCase() === email) throw invitesOneself();
      return { newId: newId(), create: (id) => invite(id, caller, email, profile?.email) };
    },

    async resendInvitation({ caller, parameters: { user_id } }) {
      const before = await requireInvited(caller, user_id);
      requirePause(before);
      await takeMail(caller);
      const now = clock();
      const mailed_at = new Date(now).toISOString();
      const entry = entryOf(caller, {
        action: "user.resend",
        target: user_id,
        before,
        after: { ...before, mailed_at },
      });
      const notAfter = new Date(now - mailPauseMs).toISOString();
      if (!(await invitations.noteMail(before, mailed_at, notAfter, entry))) {
        requirePause(await requireInvited(caller, user_id));
        throw fieldRefusal("conflict", "user_id", "the invitation was changed by another request just now, try again");
      }
      const { profile } = await users.record(caller.sub);
      return answerOf(before, await mailAgain(caller, before, profile?.email));
    },

    async removeUser({ caller, parameters: { user_id } }) {
      const sub = user_id === "me" ? caller.sub : user_id;
      if (caller.role !== "owner" && sub !== caller.sub) {
        throw new Refusal("role_missing", "This needs the role owner; a developer removes only themselves");
      }
      const now = clock();
      const id = newId();
      const outcome = await members.remove(caller.tenant_id, sub, now, ({ membership, grant, keyIds }) =>
        auditEntry(
          {
            tenant_id: caller.tenant_id,
            actor: caller.sub,
            action: "user.remove",
            target: sub,
            before: { status: membership.status, grant, active_keys: keyIds },
            after: { status: "removed" },
          },
          { id, now },
        ),
      );
      if (outcome === "removed") return undefined;
      if (outcome === "missing") throw missing(user_id);
      throw fieldRefusal("conflict", "user_id", "the owner cannot leave: a workspace has one owner; delete it instead");
    },

    async listPendingUsers({ query }) {
      return pageAnswer(await approvals.pending(query));
    },

    async approveUser({ caller, parameters: { user_id } }) {
      const { profile } = await users.record(user_id);
      if (!profile) throw new Refusal("not_found", `user_id: there is nobody ${user_id} here`);
      const approved = { ...profile, approval_status: "approved" as const };
      if (profile.approval_status === "approved") return approved;
      const change = { tenant_id: platformTrail, actor: caller.sub, action: "user.approve", target: user_id } as const;
      const entry = auditEntry({ ...change, before: profile, after: approved }, { id: newId(), now: clock() });
      await approvals.approve(user_id, entry);
      return approved;
    },
  };

  /**
   * The mail is taken before anybody is mailed. An account that is made stays if what follows fails: the repeat finds it.
   * @param id of the request, the same for its repeats
   */
  async function invite(id: string, caller: Owner, email: string, inviter: string | undefined) {
    await takeMail(caller);
    const { sub, state } = await accounts.invite(email);
    if (sub === caller.sub) throw invitesOneself();
    const invitation = await writeInvitation(id, caller, { sub, email });
    // Of an account that was made just now the identity provider has mailed.
    const mail = state === "created" ? "sent" : await mailAgain(caller, invitation, inviter);
    return answerOf(invitation, mail);
  }

  /** The membership in place of nothing or of a removed one; a repeat's is the one that its first attempt wrote. */
  async function writeInvitation(id: string, caller: Owner, { sub, email }: { sub: string; email: string }) {
    const { tenant_id } = caller;
    const before = await users.membership(sub, tenant_id);
    if (before?.invitation_id === id) return before;
    if (before && before.status !== "removed") throw isThere(before);
    if (before) requirePause(before);
    const invited_at = new Date(clock()).toISOString();
    const what = { email, tenant_role: "developer", invited_at } as const;
    const entry = entryOf(caller, { action: "user.invite", target: sub, before: statusOf(before), after: what });
    const times = { created_at: invited_at, mailed_at: invited_at };
    const invitation: Invitation = { sub, tenant_id, ...what, ...times, invitation_id: id };
    if (await invitations.invite(invitation, before, entry)) return invitation;
    const there = await users.membership(sub, tenant_id);
    if (there?.invitation_id === id) return there;
    throw isThere(there);
  }

  /** By the identity provider, with a temporary password, until the person has signed in; by us after that. */
  async function mailAgain(caller: Owner, { email = "", sub }: Membership, inviter: string | undefined) {
    try {
      if (await accounts.resend(email)) return "sent";
      const tenant = await tenants.get(caller.tenant_id);
      if (!tenant) return "none";
      return await mailer.send(invitationMail(email, tenant, inviter, settings.consoleOrigins[0]));
    } catch (error) {
      // The membership stands: the answer tells that there was no mail.
      log.problem("invitation_not_mailed", { tenant_id: caller.tenant_id, sub }, error);
      return "none";
    }
  }

  async function takeMail({ tenant_id }: Owner): Promise<void> {
    const { maxInvitationMails: max } = settings;
    const day = new Date(clock()).toISOString().slice(0, 10);
    const outcome = await invitations.takeMail(tenant_id, day, max);
    if (outcome === "closed")
      throw new Refusal("tenant_suspended", "The workspace is suspended: nobody can be invited");
    if (outcome === "taken") return;
    const advice = "the next ones go out after midnight UTC";
    throw new Refusal("conflict", `The workspace has asked for ${max} invitations today, which is the most; ${advice}`);
  }

  async function requireInvited({ tenant_id }: Owner, userId: string): Promise<Membership> {
    const membership = await users.membership(userId, tenant_id);
    if (!membership) throw missing(userId);
    if (membership.status === undefined) return membership;
    const end = membership.status === "active" ? "has come already" : "was removed; invite them again";
    throw fieldRefusal("conflict", "user_id", `the person ${end}`);
  }

  function requirePause(membership: Membership): void {
    const waitMs = nextMailAt(membership) - clock();
    if (waitMs <= 0) return;
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    const minutes = mailPauseMs / 60_000;
    throw new Refusal("rate_limited", `A person gets one mail in ${minutes} minutes, try again`, { retryAfterSeconds });
  }

  function entryOf(
    { tenant_id, sub }: Member,
    change: { action: `user.${string}`; target: string; before?: object | undefined; after: object },
  ) {
    return auditEntry({ tenant_id, actor: sub, ...change }, { id: newId(), now: clock() });
  }
}

function answerOf({ sub, email = "", tenant_role, invited_at }: Membership, mail: MailSent) {
  return { user_id: sub, email, tenant_role, invited_at, mail };
}

function statusOf(membership: Membership | undefined) {
  return membership && { status: membership.status };
}

function latest(times: (string | undefined)[]): string | undefined {
  return times.reduce(
    (last, time) => (last === undefined || (time !== undefined && time > last) ? time : last),
    undefined,
  );
}

function invitesOneself(): Refusal {
  return fieldRefusal("conflict", "email", "this is your own address: you belong to the workspace already");
}

function isThere(membership: Membership | undefined): Refusal {
  const isInvited = membership && membership.status === undefined;
  const advice = `mail it again with POST /v1/users/${membership?.sub}/resend`;
  if (isInvited) return fieldRefusal("conflict", "email", `the person is invited already; ${advice}`);
  if (membership?.status === "active") {
    return fieldRefusal("conflict", "email", "the person belongs to the workspace already");
  }
  return fieldRefusal("conflict", "email", "the person was changed by another request just now, try again");
}

function missing(userId: string): Refusal {
  return fieldRefusal("not_found", "user_id", `there is nobody ${userId} in this workspace`);
}
