// Limits of callers and their tenants, read a page at a time: people's budgets from their grants, and those of service accounts from
// the row of their active keys, since the meter may not read keys.
import { isServiceAccount } from "../../../domain/access/api-key.ts";
import type { SpendingKey } from "../../../domain/budget/spending.ts";
import { usd } from "../../../domain/kernel/money.ts";
import type { LimitReader } from "../../../domain/notices/due-notices.ts";
import { grantRecord } from "../access/grant.record.ts";
import { creditRecord } from "../budget/credit.record.ts";
import { creditOf } from "../budget/credit-expressions.ts";
import { activeKeysRecord } from "../keys/active-keys.record.ts";
import type { Rows } from "../rows.ts";
import type { Key } from "../table.ts";

/** @param withCredit false where nobody pays: no limit is a free credit then */
export function limitReader(rows: Rows, { withCredit }: { withCredit: boolean }): LimitReader {
  return {
    async of(callers) {
      const tenantIds = [...new Set(callers.map(({ tenantId }) => tenantId))];
      const credits = withCredit ? tenantIds.map((tenantId) => creditRecord.key({ tenant_id: tenantId })) : [];
      const { item } = await rows.batch([...callers.map(keyOf), ...credits]);
      return {
        budget(caller) {
          const { monthly_budget_usd, active } = item(keyOf(caller)) ?? {};
          // A service account without keys keeps the row.
          const isGone = isServiceAccount(caller.callerId) && !(Number(active) > 0);
          return isGone ? undefined : usd.safeParse(monthly_budget_usd).data;
        },
        credit(tenantId) {
          const found = item(creditRecord.key({ tenant_id: tenantId }));
          if (!found) return undefined;
          const { spent, granted } = creditOf(found);
          return { used: spent, limit: granted };
        },
      };
    },
  };
}

function keyOf({ tenantId, callerId }: SpendingKey): Key {
  return isServiceAccount(callerId)
    ? activeKeysRecord.key({ tenant_id: tenantId, caller_id: callerId })
    : grantRecord.key({ tenant_id: tenantId, dev_sub: callerId });
}
