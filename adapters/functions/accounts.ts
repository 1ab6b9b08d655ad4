// The identity provider's accounts, which the function `accounts` administers.
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { MemberAccounts } from "../../domain/provisioning/purge.ts";
import type { AccountList, Accounts, InvitedAccounts } from "../../domain/workspace/accounts.ts";
import { accountsActions, accountsOfCall } from "../../handlers/accounts/actions.ts";
import type { Invocation } from "./invocation.ts";

type AskedAccounts = Accounts & AccountList & InvitedAccounts & MemberAccounts;

/** Each call throws Refusal `identity_unavailable` if the function is not known to have run. */
export function askedAccounts(arn: string, invoke: Invocation): AskedAccounts {
  const ask = invoke({ name: "accounts", arn, actions: accountsActions, unavailable });
  return {
    invite: (email) => ask("invite", { email }),
    resend: async (email) => (await ask("resend_invitation", { email })).sent,
    list: async (after) => {
      const { subs, next } = await ask("list", { after });
      return { subs, next };
    },
    async listInvited(after) {
      const { accounts, next } = await ask("list_invited", { after });
      return { accounts: accounts.map(({ sub, changed_at }) => ({ sub, changedAt: changed_at })), next };
    },
    removeInvited: async (sub) => (await ask("remove_invited", { sub })).removed,
    async removeMembers(tenantId, subs) {
      const gone: string[] = [];
      let removed = 0;
      for (let start = 0; start < subs.length; start += accountsOfCall) {
        const batch = subs.slice(start, start + accountsOfCall);
        const answer = await ask("remove_members", { tenant_id: tenantId, subs: batch });
        gone.push(...answer.gone);
        removed += answer.removed;
      }
      return { gone, removed };
    },
  };
}

function unavailable(cause: unknown): Refusal {
  const message = "The platform cannot do this right now, try again";
  return new Refusal("identity_unavailable", message, { retryAfterSeconds: 1, cause });
}
