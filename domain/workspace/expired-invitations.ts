// Invitations that nobody followed: a week after the last mail its password is of no use, and an account that nobody can sign in to would
// keep the address from signing up. So the account goes, and what was prepared for it.
import type { Log } from "../kernel/log.ts";
import type { InvitedAccounts } from "./accounts.ts";
import { type AuditEntry, auditEntry } from "./audit.ts";
import { invitationDays } from "./invitation.ts";
import type { Membership, UserStore } from "./user.ts";

export interface InvitationEnd {
  /** The membership becomes removed and the grant that was prepared is deleted, unless the person has come meanwhile. */
  expire(membership: Membership, entry: AuditEntry): Promise<void>;
}

export type ExpiryDependencies = {
  accounts: InvitedAccounts;
  users: Pick<UserStore, "record">;
  invitations: InvitationEnd;
  log: Log;
  clock: () => number;
  newId: () => string;
};

const lifeMs = invitationDays * 86_400_000;

/** The rows first: an account that is gone is found by nobody. */
export async function expireInvitations({ accounts, users, ...deps }: ExpiryDependencies): Promise<void> {
  const { invitations, log, clock, newId } = deps;
  let after: string | undefined;
  do {
    const page = await accounts.listInvited(after);
    for (const { sub, changedAt } of page.accounts) {
      const now = clock();
      if (now - changedAt < lifeMs) continue;
      const { profile, memberships } = await users.record(sub);
      // Has come without the mailed password, by an external provider, of which the account's state tells nothing.
      if (profile) continue;
      const invited = memberships.filter(({ status }) => status === undefined);
      // Mailed since, which the identity provider may not count as a change.
      if (invited.some(({ mailed_at }) => mailed_at !== undefined && now - Date.parse(mailed_at) < lifeMs)) continue;
      for (const membership of invited) {
        const { tenant_id } = membership;
        const change = { tenant_id, actor: "reconcile", action: "user.expire", target: sub } as const;
        const what = { before: { invited_at: membership.invited_at }, after: { status: "removed" } };
        await invitations.expire(membership, auditEntry({ ...change, ...what }, { id: newId(), now }));
      }
      if (await accounts.removeInvited(sub)) log.info("The account of an invitation that expired was removed", { sub });
    }
    after = page.next;
  } while (after !== undefined);
}
