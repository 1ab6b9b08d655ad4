// The identity provider's accounts: other functions invoke this one to invite people, to list accounts and to remove them.

import { accountsActions } from "../../actions/accounts.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type {
  AccountList,
  AccountRemoval,
  Accounts,
  InvitedAccounts,
  SignIns,
  UnconfirmedAccounts,
} from "../../domain/people/accounts.ts";
import { type AccountRemovalDependencies, removeAccounts } from "../../domain/provisioning/account-removal.ts";
import { answerActions } from "../actions.ts";

export type AccountsDependencies = AccountRemovalDependencies & {
  accounts: Accounts & AccountList & InvitedAccounts & UnconfirmedAccounts & SignIns & AccountRemoval;
  log: Log;
};

export function accountsHandler(deps: AccountsDependencies) {
  const { accounts, log } = deps;
  return answerActions(
    accountsActions,
    {
      invite: ({ email, workspace, inviter }) => accounts.invite(email, { workspace, inviter }),
      resend_invitation: async ({ email, workspace, inviter }) => ({
        sent: await accounts.resend(email, { workspace, inviter }),
      }),
      list: ({ after }) => accounts.list(after),
      async list_invited({ after }) {
        const { accounts: invited, next } = await accounts.listInvited(after);
        return { accounts: invited.map(({ sub, changedAt }) => ({ sub, changed_at: changedAt })), next };
      },
      remove_invited: async ({ sub }) => ({ removed: await accounts.removeInvited(sub) }),
      async list_unconfirmed({ after }) {
        const { accounts: unconfirmed, next } = await accounts.listUnconfirmed(after);
        return { accounts: unconfirmed.map(({ sub, createdAt }) => ({ sub, created_at: createdAt })), next };
      },
      remove_unconfirmed: async ({ sub }) => ({ removed: await accounts.removeUnconfirmed(sub) }),
      async end_sign_ins({ sub }) {
        await accounts.endSignIns(sub);
        return {};
      },
      remove_members: ({ tenant_id, subs }) => removeAccounts(deps, tenant_id, subs),
    },
    log,
  );
}
