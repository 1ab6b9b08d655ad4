// The identity provider's accounts: other functions invoke this one to invite people, to list accounts and to remove them.
import { removeAccounts } from "../../domain/provisioning/account-removal.ts";
import { answerActions } from "../actions.ts";
import { accountsActions } from "./actions.ts";
import type { AccountsDependencies } from "./dependencies.ts";

export function accountsHandler(deps: AccountsDependencies) {
  const { accounts, log } = deps;
  return answerActions(
    accountsActions,
    {
      invite: ({ email }) => accounts.invite(email),
      resend_invitation: async ({ email }) => ({ sent: await accounts.resend(email) }),
      list: ({ after }) => accounts.list(after),
      async list_invited({ after }) {
        const { accounts: invited, next } = await accounts.listInvited(after);
        return { accounts: invited.map(({ sub, changedAt }) => ({ sub, changed_at: changedAt })), next };
      },
      remove_invited: async ({ sub }) => ({ removed: await accounts.removeInvited(sub) }),
      remove_members: ({ tenant_id, subs }) => removeAccounts(deps, tenant_id, subs),
    },
    log,
  );
}
