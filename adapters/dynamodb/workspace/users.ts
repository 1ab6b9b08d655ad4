// The store of people. A person's profile, memberships and active workspaces are the items of one partition.
import type { Membership, Profile, UserRecord, UserStore } from "../../../domain/workspace/user.ts";
import { recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, index, keys, placeOf } from "../schema.ts";
import { change, check, joined, put, setting, when } from "../write.ts";

export function userStore(rows: Rows): UserStore {
  const membership = async (sub: string, tenantId: string) =>
    recordOf<Membership>(await rows.get(keys.membership(sub, tenantId)));

  return {
    membership,

    record: async (sub) => recordFrom(sub, await rows.all({ pk: keys.profile(sub).pk })),

    async putProfile({ sub, email, approval_status, provider, email_verified, created_at }) {
      // A person who is approved meanwhile may stay listed, so the reader of the list checks the profile.
      const isPending = approval_status === "pending";
      const proved = {
        ...(provider !== undefined && { provider }),
        ...(email_verified !== undefined && { email_verified }),
      };
      const listing = isPending
        ? { gsi2_pk: activeIndex.pending(), gsi2_sk: placeOf(created_at, sub) }
        : { approval_status };
      const rest = isPending
        ? change`, created_at = if_not_exists(created_at, ${created_at}), approval_status = if_not_exists(approval_status, ${approval_status})`
        : change`, created_at = if_not_exists(created_at, ${created_at}) REMOVE gsi2_pk, gsi2_sk`;
      await rows.update(
        keys.profile(sub),
        joined(setting({ sub, email, ...proved, ...index.email(email), ...listing }), rest),
      );
    },

    async chooseTenant(sub, clientId, tenantId) {
      const chosen = { ...keys.activeTenant(sub, clientId), client_id: clientId, tenant_id: tenantId };
      const isMember = check(keys.membership(sub, tenantId), when`#status = ${"active"}`);
      return (await rows.transact([isMember, put(chosen)])) === undefined;
    },

    async activate(activated) {
      const { sub, tenant_id, activated_at } = activated;
      const isActivated = await rows.update(
        keys.membership(sub, tenant_id),
        setting({ status: "active", activated_at }),
        when`attribute_exists(invited_at) AND attribute_not_exists(#status)`,
      );
      if (isActivated) return activated;
      return (await membership(sub, tenant_id)) ?? { ...activated, status: "removed" };
    },
  };
}

function recordFrom(sub: string, items: Record<string, unknown>[]): UserRecord {
  const starting = (prefix: string) => items.filter((item) => String(item.sk).startsWith(prefix));
  const active = starting(keys.activeTenant(sub, "").sk);
  return {
    profile: recordOf<Profile>(items.find((item) => item.sk === keys.profile(sub).sk)),
    memberships: starting(keys.membership(sub, "").sk).map((item) => recordOf<Membership>(item)),
    activeTenants: Object.fromEntries(active.map((item) => [item.client_id, item.tenant_id])),
  };
}
