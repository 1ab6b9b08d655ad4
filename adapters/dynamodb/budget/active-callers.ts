// The callers who spent in a month: the second index lists them shard by shard, and they are read a page at a time.
import type { ActiveCaller, ActiveCallerStore, SpendingKey } from "../../../domain/budget/spending.ts";
import { startOfMonth } from "../../../domain/kernel/period.ts";
import { retentionMs } from "../../../domain/kernel/retention.ts";
import type { FirstCalls } from "../../../domain/ledger/first-calls.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import { batchSize } from "../batch.ts";
import { hasKey, unavailable } from "../client.ts";
import type { Rows } from "../rows.ts";
import type { Key } from "../table.ts";
import type { Item } from "../write.ts";
import { spendingRecord } from "./spending.record.ts";
import { spendingOf } from "./spending-expressions.ts";

export function activeCallerStore(rows: Rows): ActiveCallerStore & FirstCalls {
  return {
    of: (month, shard) => pagesOf(month, shard),
    ofTenant: (tenantId, month) => pagesOf(month, shardOf(tenantId), tenantId),

    async since(tenantId, month) {
      let first: number | undefined;
      for await (const page of pagesOf(month, shardOf(tenantId), tenantId)) {
        // A caller that cannot be read may have called in any hour.
        const times = page.map((one) => ("problem" in one ? startOfMonth(month) : one.firstAdmittedAt));
        first = Math.min(first ?? Number.POSITIVE_INFINITY, ...times);
      }
      return first;
    },
  };

  /** @param tenantId if set, only this tenant's callers are given */
  async function* pagesOf(month: string, shard: number, tenantId?: string): AsyncGenerator<ActiveCaller[]> {
    const pk = spendingRecord.activeIndexRange({ month, shard }).pk;
    const prefix = tenantId && `${tenantId}#`;
    for await (const page of rows.pages({ pk, prefix, by: "activeIndex" }, { Limit: batchSize })) {
      const callers = page.flatMap((item) => callerOf(item, month) ?? []);
      if (callers.length === 0) continue;
      const { item } = await rows.batch(callers.map(keyOf));
      yield callers.map((key) => activeCaller(key, item(keyOf(key))));
    }
  }
}

/**
 * The caller whom an entry of the index names; undefined if the entry's item is not that caller's spending. Index keys are
 * attributes that every writer may set on its own rows.
 */
function callerOf(entry: Item, month: string): SpendingKey | undefined {
  const [tenantId = "", ...rest] = String(entry.gsi2_sk).split("#");
  const key = { tenantId, callerId: rest.join("#"), month };
  return hasKey(entry, keyOf(key)) ? key : undefined;
}

function activeCaller(key: SpendingKey, item: Item | undefined): ActiveCaller {
  if (!item) return { key, problem: unavailable(new Error("the item was not returned")) };
  try {
    const spending = spendingOf(item);
    const firstAdmittedAt = Number(item.expires_at) * 1000 - retentionMs(spendingRecord.life);
    const sound = [firstAdmittedAt, spending.tat, ...spending.reservations.flatMap(numbersOf)].every(
      Number.isSafeInteger,
    );
    if (!sound) throw new Error("a number of the item is none");
    return { key, spending, firstAdmittedAt };
  } catch (problem) {
    return { key, problem };
  }
}

function numbersOf({
  amount,
  version,
  leaseEndsAt,
  admittedAt,
}: ReturnType<typeof spendingOf>["reservations"][number]) {
  return [amount, version, leaseEndsAt, admittedAt];
}

function keyOf({ tenantId, callerId, month }: SpendingKey): Key {
  return spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month });
}
