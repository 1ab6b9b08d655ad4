// How much of a tenant's usage is still to be billed, by the outbox's rows and by the hours that the meter has not closed.
import { type DynamoDBDocumentClient, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { hourMilliseconds, hourOf, monthOf, nextMonth, startOfMonth } from "../../domain/period.ts";
import { activeCallerStore } from "./active-callers.ts";
import { withRetries } from "./client.ts";
import { meteringProgressStore } from "./metering-progress.ts";
import { keys } from "./schema.ts";

/** Of a report that the provider has not counted. */
const open = ["open", "unsent", "sending", "taken"];

/** @returns of the month of `endedAt` (milliseconds) and the one before: months with hours not closed, and reports not counted. */
export function openReportsOf(client: DynamoDBDocumentClient, tableName: string) {
  const progress = meteringProgressStore(client, tableName);
  const firstCalls = activeCallerStore(client, tableName);

  return async (tenantId: string, endedAt: number): Promise<number> => {
    const month = monthOf(endedAt);
    const months = [monthOf(startOfMonth(month) - 1), month];
    const counts = await Promise.all(
      months.map(async (one) => (await reports(tenantId, one)) + (await hours(tenantId, one, endedAt))),
    );
    return counts.reduce((sum, one) => sum + one, 0);
  };

  async function hours(tenantId: string, month: string, endedAt: number): Promise<0 | 1> {
    const reached = await progress.of(tenantId, month);
    if (!reached) return (await firstCalls.since(tenantId, month)) === undefined ? 0 : 1;
    const last = Math.min(endedAt, nextMonth(startOfMonth(month)) - hourMilliseconds);
    return reached.waiting.length === 0 && reached.next > hourOf(last) ? 0 : 1;
  }

  async function reports(tenantId: string, month: string): Promise<number> {
    const query = {
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": keys.report(tenantId, `${month}-01T00`).pk },
      ConsistentRead: true,
    };
    return withRetries(async () => {
      let count = 0;
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        count += Items.filter(({ state, value = 1 }) => open.includes(state) && Number(value) > 0).length;
      }
      return count;
    });
  }
}
