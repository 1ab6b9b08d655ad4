import type { Member, MemberStore } from "../../../domain/access/member.ts";
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import { together } from "../../../domain/kernel/together.ts";
import type { Membership } from "../../../domain/people/user.ts";
import { contended, hasKey } from "../client.ts";
import { activeKeysRecord } from "../keys/active-keys.record.ts";
import { activeKeysOf, keyPlaces } from "../keys/key-places.ts";
import { keyRevocation } from "../keys/key-writes.ts";
import { listed } from "../listed.ts";
import { membershipRecord, profileRecord } from "../people/user.record.ts";
import type { Rows } from "../rows.ts";
import { idIn } from "../table.ts";
import { auditPut } from "../workspace/audit.ts";
import { change, remove, update, when } from "../write.ts";
import { grantRecord } from "./grant.record.ts";
import { stillIs } from "./grants.ts";

export function memberStore(rows: Rows): MemberStore {
  const places = keyPlaces(rows);

  async function withDetails(tenantId: string, memberships: Membership[]): Promise<Member[]> {
    const wanted = memberships.flatMap(({ sub }) => [
      profileRecord.key({ sub }),
      grantRecord.key({ tenant_id: tenantId, dev_sub: sub }),
      activeKeysRecord.key({ tenant_id: tenantId, caller_id: sub }),
    ]);
    const item = await rows.wholeBatch(wanted);
    return memberships.map((membership) => {
      const { sub } = membership;
      const profile = profileRecord.parse(item(profileRecord.key({ sub })));
      return {
        membership,
        email: profile?.email ?? membership.email,
        grant: grantRecord.parse(item(grantRecord.key({ tenant_id: tenantId, dev_sub: sub }))),
        keyIds: [...activeKeysOf(item(activeKeysRecord.key({ tenant_id: tenantId, caller_id: sub }))).ends.keys()],
      };
    });
  }

  return {
    async list(tenantId, status, { limit, after }) {
      const range = membershipRecord.indexRange({ tenant_id: tenantId });
      const { pk, prefix = "" } = range;
      const filter = {
        FilterExpression: "#status = :status",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":status": status },
      };
      const { items, isMore } = await listed(rows, range, {
        limit,
        start:
          after === undefined
            ? undefined
            : {
                ...membershipRecord.key({ sub: idIn(after), tenant_id: tenantId }),
                gsi1_pk: pk,
                gsi1_sk: prefix + after,
              },
        isListed: (item) => hasKey(item, membershipRecord.key({ sub: String(item.sub), tenant_id: tenantId })),
        ...(status && { filter }),
      });
      const page = items.map((item) => membershipRecord.parse(item));
      const next = isMore ? String(items.at(-1)?.gsi1_sk).slice(prefix.length) : undefined;
      return { items: await withDetails(tenantId, page), next };
    },

    async get(tenantId, sub) {
      const membership = await rows.read(membershipRecord, { sub, tenant_id: tenantId });
      return membership && (await withDetails(tenantId, [membership]))[0];
    },

    async many(tenantId, subs) {
      const item = await rows.wholeBatch(subs.map((sub) => membershipRecord.key({ sub, tenant_id: tenantId })));
      const found = subs.flatMap(
        (sub) => membershipRecord.parse(item(membershipRecord.key({ sub, tenant_id: tenantId }))) ?? [],
      );
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
          rows.read(membershipRecord, { sub, tenant_id: tenantId }),
          rows.read(grantRecord, { tenant_id: tenantId, dev_sub: sub }),
          places.read(caller),
        ]);
        if (!membership) return "missing";
        if (membership.tenant_role === "owner") return "owner";
        if (membership.status === "removed") return "removed";
        const keyIds = [...active.ends.keys()];
        const items = [
          removal(membership, now),
          // The grant is deleted only if it is still the version that the audit entry describes.
          remove(grantRecord.key({ tenant_id: tenantId, dev_sub: sub }), stillIs(grant)),
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
    membershipRecord.key({ sub, tenant_id }),
    change`SET #status = ${"removed"}, removed_at = ${new Date(now).toISOString()}`,
    status
      ? when`tenant_role <> ${"owner"} AND #status = ${status}`
      : when`tenant_role <> ${"owner"} AND attribute_exists(pk) AND attribute_not_exists(#status)`,
  );
}
