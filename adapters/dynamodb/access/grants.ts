// The store of people's grants.
import type { GrantRecord, GrantStore } from "../../../domain/access/grant.ts";
import { membershipRecord } from "../people/user.record.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, type Condition, check, put, remove, when } from "../write.ts";
import { grantRecord } from "./grant.record.ts";

export function grantStore(rows: Rows): GrantStore {
  return {
    get: (tenantId, sub) => rows.read(grantRecord, { tenant_id: tenantId, dev_sub: sub }),

    async put(grant, change) {
      const { tenant_id, dev_sub } = grant;
      // The transaction checks the membership, so a removal at the same time leaves no grant behind.
      const isMember = when`attribute_exists(pk) AND (attribute_not_exists(#status) OR #status <> ${"removed"})`;
      const failed = await rows.transact([
        check(membershipRecord.key({ sub: dev_sub, tenant_id }), isMember),
        put({ ...grantRecord.key({ tenant_id, dev_sub }), ...grant }, stillIs(change.before)),
        auditPut(change.entry),
      ]);
      return failed === 1 ? "stale" : failed === undefined;
    },

    async delete(tenantId, sub, change) {
      const removal = remove(grantRecord.key({ tenant_id: tenantId, dev_sub: sub }), stillIs(change.before));
      return (await rows.transact([removal, auditPut(change.entry)])) === undefined;
    },

    async list(tenantId, { limit, after }) {
      const { Items = [], LastEvaluatedKey } = await rows.query(
        { pk: grantRecord.range({ tenant_id: tenantId }).pk },
        {
          Limit: limit,
          ExclusiveStartKey: after === undefined ? undefined : grantRecord.key({ tenant_id: tenantId, dev_sub: after }),
        },
      );
      const items = Items.map((item) => grantRecord.parse(item));
      return { items, next: LastEvaluatedKey && items.at(-1)?.dev_sub };
    },
  };
}

/** The condition that the stored grant is still this one. Each write of a grant has a different time. */
export function stillIs(grant: GrantRecord | undefined): Condition {
  return grant ? when`updated_at = ${grant.updated_at}` : absent;
}
