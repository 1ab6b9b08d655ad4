// The identity provider's accounts, which the function `accounts` administers.

import { accountsActions, accountsOfCall } from "../../actions/accounts.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type {
  AccountList,
  Accounts,
  InvitedAccounts,
  SignIns,
  UnconfirmedAccounts,
} from "../../domain/people/accounts.ts";
import type { MemberAccounts } from "../../domain/provisioning/purge.ts";
import type { Invocation } from "./invocation.ts";

type AskedAccounts = Accounts & AccountList & InvitedAccounts & UnconfirmedAccounts & SignIns & MemberAccounts;

/** Each call throws Refusal `identity_unavailable` if the function is not known to have run. */
export function askedAccounts(arn: string, invoke: Invocation): AskedAccounts {
  const ask = invoke({ name: "accounts", arn, actions: accountsActions, unavailable });
  return {
    invite: (email, into) => ask("invite", { email, ...into }),
    resend: async (email, into) => (await ask("resend_invitation", { email, ...into })).sent,
    list: async (after) => {
      const { subs, next } = await ask("list", { after });
      return { subs, next };
    },
    async listInvited(after) {
      const { accounts, next } = await ask("list_invited", { after });
      return { accounts: accounts.map(({ sub, changed_at }) => ({ sub, changedAt: changed_at })), next };
    },
    removeInvited: async (sub) => (await ask("remove_invited", { sub })).removed,
    async listUnconfirmed(after) {
      const { accounts, next } = await ask("list_unconfirmed", { after });
      return { accounts: accounts.map(({ sub, created_at }) => ({ sub, createdAt: created_at })), next };
    },
    removeUnconfirmed: async (sub) => (await ask("remove_unconfirmed", { sub })).removed,
    async endSignIns(sub) {
      await ask("end_sign_ins", { sub });
    },
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
  return new Refusal("identity_unavailable", message, { cause });
}
