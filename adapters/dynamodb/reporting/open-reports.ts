// What of a tenant's usage is still to be billed, read consistently: whoever ends its subscription waits for it.
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { ReportState } from "../../../domain/metering/report.ts";
import type { OpenReports } from "../../../domain/reporting/open-reports.ts";
import type { Remainder } from "../../../domain/reporting/usage-outbox.ts";
import { withRetries } from "../client.ts";
import { keys } from "../schema.ts";

type Item = Record<string, unknown>;

/** Of reports that are not at their end. */
export const openStates: readonly unknown[] = ["unsent", "sending", "taken"] satisfies ReportState[];

export function openReportStore(client: DynamoDBDocumentClient, TableName: string): OpenReports {
  return {
    async count(tenantId, months) {
      const pks = months.map((month) => keys.report(tenantId, `${month}-01T00`).pk);
      const [reports, carries, remainders] = await Promise.all([
        Promise.all(pks.map(itemsOf)),
        itemsOf(keys.carry(tenantId, "").pk),
        itemsOf(keys.remainder(tenantId).pk),
      ]);
      const open = [
        ...reports.flat().filter(isOpen),
        // What is below nothing and no longer listed waits for usage, of which there may be none.
        ...carries.filter(({ difference, gsi2_pk }) => Number(difference) > 0 || (difference !== 0 && gsi2_pk)),
        ...remainders.filter(({ carried = 0 }) => Number(carried) > 0),
      ];
      return open.length;
    },

    async kept(tenantId) {
      const [carries, [remainder]] = await Promise.all([
        itemsOf(keys.carry(tenantId, "").pk),
        itemsOf(keys.remainder(tenantId).pk),
      ]);
      return {
        remainder: remainderOf(remainder),
        difference: carries.reduce((sum, { difference }) => sum + Number(difference), 0),
      };
    },
  };

  async function itemsOf(pk: string): Promise<Item[]> {
    const items: Item[] = [];
    let ExclusiveStartKey: Item | undefined;
    do {
      const command = new QueryCommand({
        TableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
        ConsistentRead: true,
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      });
      const { Items = [], LastEvaluatedKey } = await withRetries(() => client.send(command));
      items.push(...Items);
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return items;
  }
}

function isOpen({ state, value, quantity }: Item): boolean {
  if (state === "unsent") return Number(value) !== 0;
  return state === "open" || (openStates.includes(state) && quantity !== undefined);
}

export function remainderOf({ carried, left }: Item = {}): Remainder {
  return { carried: Number(carried ?? 0), left: Number(left ?? 0) };
}
