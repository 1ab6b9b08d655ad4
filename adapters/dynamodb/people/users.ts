// The store of people. A person's profile, memberships and active workspaces are the items of one partition.
import type { Profile, UserRecord, UserStore } from "../../../domain/people/user.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, change, check, joined, put, setting, update, when } from "../write.ts";
import { activeTenantRecord, membershipRecord, profileRecord } from "./user.record.ts";

export function userStore(rows: Rows): UserStore {
  const membership = async (sub: string, tenantId: string) => rows.read(membershipRecord, { sub, tenant_id: tenantId });

  return {
    membership,

    async emails(subs) {
      const item = await rows.wholeBatch(subs.map((sub) => profileRecord.key({ sub })));
      const known = subs.map((sub) => [sub, item(profileRecord.key({ sub }))?.email] as const);
      return new Map(known.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
    },

    record: async (sub) => recordFrom(sub, await rows.all({ pk: profileRecord.key({ sub }).pk })),

    async withAddress(email) {
      const { gsi1_pk: pk, gsi1_sk: prefix } = profileRecord.indexKey({ email });
      return (await rows.all({ pk, prefix, by: "index" })).map((item) => profileRecord.parse(item));
    },

    async putProfile({ sub, email, approval_status, provider, email_verified, linked, created_at }, told) {
      // A person who is approved meanwhile may stay listed, so the reader of the list checks the profile.
      const isPending = approval_status === "pending";
      const listing = isPending ? profileRecord.activeIndexKey({ created_at, sub }) : { approval_status };
      const proved = { sub, email, provider, email_verified, ...(linked !== undefined && { linked }) };
      const rest = isPending
        ? change`, created_at = if_not_exists(created_at, ${created_at}), approval_status = if_not_exists(approval_status, ${approval_status})`
        : change`, created_at = if_not_exists(created_at, ${created_at}) REMOVE gsi2_pk, gsi2_sk`;
      const written = joined(setting({ ...proved, ...profileRecord.indexKey({ email }), ...listing }), rest);
      if (told && told.entries.length > 0) {
        const writes = [
          update(profileRecord.key({ sub }), written, asBefore(told.before)),
          ...told.entries.map((e) => auditPut(e)),
        ];
        // If the profile is not as before any more, a sign-in at the same moment has written the same entries: only the profile is written then.
        if ((await rows.transact(writes)) === undefined) return;
      }
      await rows.update(profileRecord.key({ sub }), written);
    },

    async chooseTenant(sub, clientId, tenantId, entry) {
      const chosen = {
        ...activeTenantRecord.key({ sub, client_id: clientId }),
        client_id: clientId,
        tenant_id: tenantId,
      };
      const isMember = check(membershipRecord.key({ sub, tenant_id: tenantId }), when`#status = ${"active"}`);
      const isOther = when`attribute_not_exists(pk) OR tenant_id <> ${tenantId}`;
      const failed = await rows.transact([isMember, put(chosen, isOther), auditPut(entry)]);
      // If only the second condition fails, the tenant is the active one already.
      return failed !== 0;
    },

    async activate(activated, entry) {
      const { sub, tenant_id, activated_at } = activated;
      const isInvited = when`attribute_exists(invited_at) AND attribute_not_exists(#status)`;
      const active = update(
        membershipRecord.key({ sub, tenant_id }),
        setting({ status: "active", activated_at }),
        isInvited,
      );
      if ((await rows.transact([active, auditPut(entry)])) === undefined) return activated;
      return (await membership(sub, tenant_id)) ?? { ...activated, status: "removed" };
    },
  };
}

/** Whether the profile still says what an entry tells as the state before. */
function asBefore(before: Profile | undefined) {
  if (!before) return absent;
  const { approval_status, linked } = before;
  if (linked === undefined) return when`approval_status = ${approval_status} AND attribute_not_exists(linked)`;
  return when`approval_status = ${approval_status} AND linked = ${linked}`;
}

function recordFrom(sub: string, items: Record<string, unknown>[]): UserRecord {
  const starting = (prefix: string) => items.filter((item) => String(item.sk).startsWith(prefix));
  const active = starting(activeTenantRecord.key({ sub, client_id: "" }).sk);
  return {
    profile: profileRecord.parse(items.find((item) => item.sk === profileRecord.key({ sub }).sk)),
    memberships: starting(membershipRecord.key({ sub, tenant_id: "" }).sk).map((item) => membershipRecord.parse(item)),
    activeTenants: Object.fromEntries(active.map((item) => [item.client_id, item.tenant_id])),
  };
}
