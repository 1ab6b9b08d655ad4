// Ends invitations that nobody accepted. A week after the last mail its password has expired, and an account that nobody can sign in to
// would keep its address from signing up. So membership and prepared grant are removed, and with the last invitation the account.

import type { Log } from "../kernel/log.ts";
import { dayMs } from "../kernel/period.ts";
import { type AuditEntry, auditEntry } from "../workspace/audit.ts";
import type { InvitedAccounts } from "./accounts.ts";
import { invitationDays } from "./invitation-mail.ts";
import type { Membership, UserStore } from "./user.ts";

export interface InvitationEnd {
  /** Sets the membership removed and deletes a prepared grant, unless the person has signed in meanwhile. */
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

const lifeMs = invitationDays * dayMs;

/** Removes the rows first: they are found by the account, so nobody would find them after it. */
export async function expireInvitations({ accounts, users, ...deps }: ExpiryDependencies): Promise<void> {
  const { invitations, log, clock, newId } = deps;
  let after: string | undefined;
  do {
    const page = await accounts.listInvited(after);
    for (const { sub, changedAt } of page.accounts) {
      const now = clock();
      if (now - changedAt < lifeMs) continue;
      const { profile, memberships } = await users.record(sub);
      // A person with a profile has signed in with an external provider, which does not change the account's state.
      if (profile) continue;
      const invited = memberships.filter(({ status }) => status === undefined);
      const ended = invited.filter(({ mailed_at }) => mailed_at === undefined || now - Date.parse(mailed_at) >= lifeMs);
      for (const membership of ended) {
        const { tenant_id } = membership;
        const change = { tenant_id, actor: "reconcile", action: "user.expire", target: sub } as const;
        const what = { before: { invited_at: membership.invited_at }, after: { status: "removed" } };
        await invitations.expire(membership, auditEntry({ ...change, ...what }, { id: newId(), now }));
      }
      // Another workspace has mailed since: its invitation needs the account.
      if (ended.length < invited.length) continue;
      if (await accounts.removeInvited(sub)) log.info("The account of an invitation that expired was removed", { sub });
    }
    after = page.next;
  } while (after !== undefined);
}
