// A workspace's billing as the table has it: its free credit, and how much of its usage is reported.
import type { ReportState } from "../../../domain/metering/hour-report.ts";
import type { BillingReader } from "../../../domain/reporting/billing-reader.ts";
import { creditReader } from "../budget/credits.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { unbilledUsageStore } from "./unbilled-usage.ts";

export function billingReader(rows: Rows): BillingReader {
  return {
    async credit(tenantId) {
      const { granted, spent } = await creditReader(rows).get(tenantId);
      return { granted, spent };
    },

    unreported: (tenantId, months) =>
      // An event that is being sent is not known to have arrived.
      sumOf(tenantId, months, { of: "value", states: ["unsent", "sending"] }),

    reported: (tenantId, month) => sumOf(tenantId, [month], { of: "quantity", states: ["taken", "counted"] }),

    openBalance: unbilledUsageStore(rows).openBalance,
  };

  async function sumOf(
    tenantId: string,
    months: readonly string[],
    { of, states: [one, other] }: { of: "value" | "quantity"; states: [ReportState, ReportState] },
  ): Promise<number> {
    let sum = 0;
    for (const month of months) {
      const items = await rows.all(
        { pk: keys.report(tenantId, month).pk },
        {
          FilterExpression: "#state IN (:one, :other)",
          ProjectionExpression: "#of",
          ExpressionAttributeNames: { "#state": "state", "#of": of },
          ExpressionAttributeValues: { ":one": one, ":other": other },
          ConsistentRead: false,
        },
      );
      for (const item of items) sum += Number(item[of] ?? 0);
    }
    return sum;
  }
}
