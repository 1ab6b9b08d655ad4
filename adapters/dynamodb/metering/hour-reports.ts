// Reports of hours in the table: a row for each reported hour, and the adjustments of corrections that came after the report. Both
// are added to the tenant's total.
import { startOfHour } from "../../../domain/kernel/period.ts";
import type { Adjustment, HourReportStore, LateCorrections } from "../../../domain/metering/hour-report.ts";
import { allowanceReturn } from "../budget/allowances.ts";
import { creditRecord } from "../budget/credit.record.ts";
import { creditDraw } from "../budget/credit-expressions.ts";
import { hasKey } from "../client.ts";
import { totalIndex, totalRecord } from "../reporting/total.record.ts";
import type { Rows } from "../rows.ts";
import { absent, attribute, change, remove, setting, update, type Write, when } from "../write.ts";
import { adjustmentIndex, adjustmentRecord } from "./adjustment.record.ts";
import { reportRecord } from "./report.record.ts";

export function hourReportStore(rows: Rows): HourReportStore {
  const lifeOf = (hour: string) => ({ expires_at: reportRecord.expiresAt(startOfHour(hour)) });
  return {
    async open(tenantId, hour) {
      await rows.update(
        reportRecord.key({ tenant_id: tenantId, hour }),
        setting({ tenant_id: tenantId, hour, ...lifeOf(hour) }),
        absent,
      );
    },

    async freeze({ tenantId, hour, value, paidByCredit, givenBack }) {
      const frozen = setting({
        ...{ value, tenant_id: tenantId, hour, ...lifeOf(hour) },
        ...(paidByCredit && { credit_tokens: paidByCredit.tokens, credit_value: paidByCredit.value }),
      });
      const report = update(
        reportRecord.key({ tenant_id: tenantId, hour }),
        frozen,
        when`attribute_not_exists(#value)`,
      );
      // Workspaces on free credit have many reports of 0, which change no total.
      const total = value === 0 ? [] : [addition(tenantId, hour, value)];
      const draw = paidByCredit ? [update(creditRecord.key({ tenant_id: tenantId }), creditDraw(paidByCredit))] : [];
      const back = givenBack ? [allowanceReturn(givenBack.ownerSub, givenBack.amount)] : [];
      const failed = await rows.transact([report, ...total, ...draw, ...back]);
      if (failed === undefined) return "frozen";
      return failed === 0 ? "known" : "outrun";
    },

    async tokensDrawn(tenantId, hour) {
      return (await rows.read(reportRecord, { tenant_id: tenantId, hour }))?.credit_tokens ?? 0;
    },
  };
}

export function lateCorrections(rows: Rows): LateCorrections {
  return {
    async *of(shard) {
      for await (const page of rows.pages(adjustmentRecord.activeIndexRange({ shard }))) {
        for (const item of page) {
          const [tenant_id = "", ...rest] = String(item.gsi2_sk).split("#");
          const id = rest.join("#");
          if (hasKey(item, adjustmentRecord.key({ tenant_id, id }))) yield { tenant_id, id };
        }
      }
    },

    async get({ tenant_id, id }) {
      return rows.read(adjustmentRecord, { tenant_id, id });
    },

    async add({ tenant_id, id, hour, difference }) {
      const end = remove(adjustmentRecord.key({ tenant_id, id }), when`difference = ${difference}`);
      await rows.transact([end, ...(difference === 0 ? [] : [addition(tenant_id, hour, difference)])]);
    },
  };
}

/** Adds to the total of the hour's month, and lists the tenant as one that has something to be billed. */
function addition(tenantId: string, hour: string, value: number): Write {
  const { gsi2_pk, gsi2_sk } = totalIndex(tenantId);
  const month = attribute(`m#${hour.slice(0, 7)}`);
  return update(
    totalRecord.key({ tenant_id: tenantId }),
    change`SET gsi2_pk = ${gsi2_pk}, gsi2_sk = ${gsi2_sk}, unreported_since = if_not_exists(unreported_since, ${hour}) ADD ${month} ${value}, additions ${1}`,
  );
}

/** An adjustment as it is stored. The index lists it until it is added to the total. */
export function adjustmentItem(adjustment: Adjustment) {
  const { tenant_id, id, hour } = adjustment;
  return {
    ...adjustmentRecord.key({ tenant_id, id }),
    ...adjustmentIndex(tenant_id, id),
    ...adjustment,
    expires_at: adjustmentRecord.expiresAt(startOfHour(hour)),
  };
}
