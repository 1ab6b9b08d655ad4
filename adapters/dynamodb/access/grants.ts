// The store of people's grants.
import type { GrantRecord, GrantStore } from "../../../domain/access/grant.ts";
import { recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, type Condition, check, put, remove, when } from "../write.ts";

export function grantStore(rows: Rows): GrantStore {
  return {
    get: async (tenantId, sub) => recordOf<GrantRecord>(await rows.get(keys.grant(tenantId, sub))),

    async put(grant, change) {
      const { tenant_id, dev_sub } = grant;
      // The transaction checks the membership, so a removal at the same time leaves no grant behind.
      const isMember = when`attribute_exists(pk) AND (attribute_not_exists(#status) OR #status <> ${"removed"})`;
      const failed = await rows.transact([
        check(keys.membership(dev_sub, tenant_id), isMember),
        put({ ...keys.grant(tenant_id, dev_sub), ...grant }, stillIs(change.before)),
        auditPut(change.entry),
      ]);
      return failed === 1 ? "stale" : failed === undefined;
    },

    async delete(tenantId, sub, change) {
      const removal = remove(keys.grant(tenantId, sub), stillIs(change.before));
      return (await rows.transact([removal, auditPut(change.entry)])) === undefined;
    },

    async list(tenantId, { limit, after }) {
      const { Items = [], LastEvaluatedKey } = await rows.query(
        { pk: keys.grant(tenantId, "").pk },
        { Limit: limit, ExclusiveStartKey: after === undefined ? undefined : keys.grant(tenantId, after) },
      );
      const items = Items.map((item) => recordOf<GrantRecord>(item));
      return { items, next: LastEvaluatedKey && items.at(-1)?.dev_sub };
    },
  };
}

/** The condition that the stored grant is still this one. Each write of a grant has a different time. */
export function stillIs(grant: GrantRecord | undefined): Condition {
  return grant ? when`updated_at = ${grant.updated_at}` : absent;
}
