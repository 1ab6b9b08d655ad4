// Reports of hours in the table: a row for each reported hour, and the adjustments of corrections that came after the report.
import { startOfHour } from "../../../domain/kernel/period.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type {
  Adjustment,
  FrozenHourReport,
  HourReport,
  HourReportStore,
  LateCorrections,
} from "../../../domain/metering/hour-report.ts";
import { creditDraw } from "../budget/credit-expressions.ts";
import { hasKey, recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, activeListings, adjustmentIndex, keys, unbilledIndex } from "../schema.ts";
import { absent, type Item, present, put, remove, setting, update, when } from "../write.ts";

/** A transaction has 100 items at most. The report, an adjustment for the rest and the credit are three of them. */
const maxAdjustments = 90;

export function hourReportStore(rows: Rows): HourReportStore {
  return {
    async get(tenantId, hour) {
      const item = await rows.get(keys.report(tenantId, hour));
      if (!item) return undefined;
      const { tenant_id, state, value } = item as HourReport;
      return { tenant_id, hour, state, value };
    },

    async open(tenantId, hour) {
      await rows.update(
        keys.report(tenantId, hour),
        setting({ state: "open", tenant_id: tenantId, hour, expires_at: expiresAt("report", startOfHour(hour)) }),
        absent,
      );
    },

    async adjustments(tenantId) {
      const { Items = [] } = await rows.query(
        { pk: keys.adjustment(tenantId, "").pk },
        {
          // An adjustment that is still listed waits for its hour's rollup.
          FilterExpression: "NOT begins_with(gsi2_pk, :listed)",
          ExpressionAttributeValues: { ":listed": activeListings.adjustment },
          Limit: maxAdjustments,
        },
      );
      return Items.map(adjustmentOf);
    },

    async freeze({ tenantId, hour, value, adjustments, rest, paidByCredit }: FrozenHourReport) {
      // An adjustment with the hour as its id comes from the hour's own report, which is frozen then.
      if (adjustments.some(({ id }) => id === hour)) return false;
      // A report of 0 has nothing to be billed. Workspaces on free credit have many of them.
      const listing = value !== 0 ? unbilledIndex(tenantId, { kind: "report", hour }) : undefined;
      const frozen = setting({
        ...{ value, state: "unsent", tenant_id: tenantId, hour, expires_at: expiresAt("report", startOfHour(hour)) },
        ...listing,
        ...(paidByCredit && { credit_tokens: paidByCredit.tokens, credit_value: paidByCredit.value }),
      });
      const isFirst = when`attribute_not_exists(#value)`;
      if (adjustments.length === 0 && !paidByCredit) return rows.update(keys.report(tenantId, hour), frozen, isFirst);
      const removals = adjustments.map(({ id, difference }) =>
        remove(keys.adjustment(tenantId, id), when`difference = ${difference}`),
      );
      const { gsi2_pk, gsi2_sk, ...unlisted } = adjustmentItem({
        tenant_id: tenantId,
        id: hour,
        hour,
        difference: rest,
      });
      const restPut = rest < 0 ? [put(unlisted)] : [];
      const draw = paidByCredit ? [update(keys.credit(tenantId), creditDraw(paidByCredit))] : [];
      const report = update(keys.report(tenantId, hour), frozen, isFirst);
      return (await rows.transact([report, ...removals, ...restPut, ...draw])) === undefined;
    },
  };
}

export function lateCorrections(rows: Rows): LateCorrections {
  return {
    async *of(shard) {
      for await (const page of rows.pages({ pk: activeIndex.adjustments(shard), by: "activeIndex" })) {
        for (const item of page) {
          const [tenant_id = "", ...rest] = String(item.gsi2_sk).split("#");
          const id = rest.join("#");
          if (hasKey(item, keys.adjustment(tenant_id, id))) yield { tenant_id, id };
        }
      }
    },

    async get({ tenant_id, id }) {
      const item = await rows.get(keys.adjustment(tenant_id, id));
      return item && adjustmentOf(item);
    },

    async rolledUp({ tenant_id, id, difference }) {
      // The index lists the adjustment as unbilled now, since the tenant may have no later usage whose report takes it.
      const listing = difference !== 0 ? unbilledIndex(tenant_id, { kind: "adjustment", id }) : undefined;
      const listed = setting({ gsi2_pk: listing?.gsi2_pk, gsi2_sk: listing?.gsi2_sk });
      await rows.update(keys.adjustment(tenant_id, id), listed, present);
    },
  };
}

/** An adjustment as it is stored. The index lists it until its hour's rollup is computed again. */
export function adjustmentItem(adjustment: Adjustment) {
  const { tenant_id, id, hour } = adjustment;
  return {
    ...keys.adjustment(tenant_id, id),
    ...adjustmentIndex(tenant_id, id),
    ...adjustment,
    expires_at: expiresAt("adjustment", startOfHour(hour)),
  };
}

function adjustmentOf(item: Item): Adjustment {
  const { tenant_id, id, hour, difference } = recordOf<Adjustment>(item);
  return { tenant_id, id, hour, difference };
}
