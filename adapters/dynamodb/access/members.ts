// Members of a workspace in the table: listed by the index with their details, and removed together with their grant and keys.
import type { GrantRecord } from "../../../domain/access/grant.ts";
import type { Member, MemberStore } from "../../../domain/access/member.ts";
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import { together } from "../../../domain/kernel/together.ts";
import type { Membership } from "../../../domain/people/user.ts";
import { contended, hasKey, recordOf } from "../client.ts";
import { activeKeysOf, keyPlaces } from "../keys/key-places.ts";
import { keyRevocation } from "../keys/key-writes.ts";
import { listed } from "../listed.ts";
import { membershipOf } from "../people/membership-row.ts";
import type { Rows } from "../rows.ts";
import { idIn, index, type Key, keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { change, remove, update, when } from "../write.ts";
import { stillIs } from "./grants.ts";

export function memberStore(rows: Rows): MemberStore {
  const places = keyPlaces(rows);

  const read = async <T>(key: Key) => recordOf<T>(await rows.get(key));

  async function withDetails(tenantId: string, memberships: Membership[]): Promise<Member[]> {
    const wanted = memberships.flatMap(({ sub }) => [
      keys.profile(sub),
      keys.grant(tenantId, sub),
      keys.activeKeys(tenantId, sub),
    ]);
    const item = await rows.wholeBatch(wanted);
    return memberships.map((membership) => {
      const { sub } = membership;
      const profile = item(keys.profile(sub));
      return {
        membership,
        email: (profile?.email as string | undefined) ?? membership.email,
        grant: recordOf<GrantRecord>(item(keys.grant(tenantId, sub))),
        keyIds: [...activeKeysOf(item(keys.activeKeys(tenantId, sub))).ends.keys()],
      };
    });
  }

  return {
    async list(tenantId, status, { limit, after }) {
      const { gsi1_pk: pk, gsi1_sk: prefix } = index.member(tenantId, "");
      const filter = {
        FilterExpression: "#status = :status",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":status": status },
      };
      const { items, isMore } = await listed(
        rows,
        { pk, prefix, by: "index" },
        {
          limit,
          start:
            after === undefined
              ? undefined
              : { ...keys.membership(idIn(after), tenantId), ...index.member(tenantId, after) },
          isListed: (item) => hasKey(item, keys.membership(String(item.sub), tenantId)),
          ...(status && { filter }),
        },
      );
      const page = items.map((item) => membershipOf(item));
      const next = isMore ? String(items.at(-1)?.gsi1_sk).slice(prefix.length) : undefined;
      return { items: await withDetails(tenantId, page), next };
    },

    async get(tenantId, sub) {
      const membership = membershipOf(await rows.get(keys.membership(sub, tenantId)));
      return membership && (await withDetails(tenantId, [membership]))[0];
    },

    async many(tenantId, subs) {
      const item = await rows.wholeBatch(subs.map((sub) => keys.membership(sub, tenantId)));
      const found = subs.flatMap((sub) => membershipOf(item(keys.membership(sub, tenantId))) ?? []);
      return withDetails(tenantId, found);
    },

    /**
     * A person has at most 50 active keys, so the transaction has 54 items of the 100 that DynamoDB allows. Its condition on the
     * membership stops creations of keys from then on.
     */
    remove(tenantId, sub, now, entryOf) {
      const caller = { tenant_id: tenantId, caller_id: sub };
      return optimistically(async () => {
        const [membership, grant, active] = await together([
          rows.get(keys.membership(sub, tenantId)).then(membershipOf),
          read<GrantRecord>(keys.grant(tenantId, sub)),
          places.read(caller),
        ]);
        if (!membership) return "missing";
        if (membership.tenant_role === "owner") return "owner";
        if (membership.status === "removed") return "removed";
        const keyIds = [...active.ends.keys()];
        const items = [
          removal(membership, now),
          // The grant is deleted only if it is still the version that the audit entry describes.
          remove(keys.grant(tenantId, sub), stillIs(grant)),
          places.change(caller, active, { remove: keyIds }),
          ...keyIds.map((id) => keyRevocation(id, now)),
          auditPut(entryOf({ membership, grant, keyIds })),
        ];
        return (await rows.transact(items, contended)) === undefined ? "removed" : undefined;
      });
    },
  };
}

function removal({ sub, tenant_id, status }: Membership, now: number) {
  return update(
    keys.membership(sub, tenant_id),
    change`SET #status = ${"removed"}, removed_at = ${new Date(now).toISOString()}`,
    status
      ? when`tenant_role <> ${"owner"} AND #status = ${status}`
      : when`tenant_role <> ${"owner"} AND attribute_exists(pk) AND attribute_not_exists(#status)`,
  );
}
