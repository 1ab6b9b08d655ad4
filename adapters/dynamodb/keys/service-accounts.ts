// Service accounts in the table: the rows of their active keys, which stay when the last key has ended.
import { serviceAccountPrefix } from "../../../domain/access/api-key.ts";
import type { ServiceAccount, ServiceAccountStore } from "../../../domain/keys/service-account.ts";
import type { Rows } from "../rows.ts";
import type { Item } from "../write.ts";
import { activeKeysRecord } from "./active-keys.record.ts";
import { activeKeysOf } from "./key-places.ts";

export function serviceAccountStore(rows: Rows): ServiceAccountStore {
  return {
    async list(tenantId, { limit, after }) {
      const { Items = [], LastEvaluatedKey } = await rows.query(
        { pk: activeKeysRecord.range({ tenant_id: tenantId }).pk, prefix: serviceAccountPrefix },
        {
          Limit: limit + 1,
          ExclusiveStartKey:
            after === undefined ? undefined : activeKeysRecord.key({ tenant_id: tenantId, caller_id: after }),
        },
      );
      const items = Items.slice(0, limit).map(accountOf);
      const isMore = Items.length > limit || LastEvaluatedKey !== undefined;
      return { items, next: isMore ? items.at(-1)?.callerId : undefined };
    },

    async many(tenantId, ids) {
      const item = await rows.wholeBatch(ids.map((id) => activeKeysRecord.key({ tenant_id: tenantId, caller_id: id })));
      return ids.flatMap((id) => {
        const found = item(activeKeysRecord.key({ tenant_id: tenantId, caller_id: id }));
        return found ? [accountOf(found)] : [];
      });
    },
  };
}

function accountOf(item: Item): ServiceAccount {
  const { sk, name, monthly_budget_usd } = item;
  return {
    callerId: String(sk),
    name: name as string | undefined,
    monthlyBudgetUsd: monthly_budget_usd as number | undefined,
    keyEnds: activeKeysOf(item).ends,
  };
}
