// What the table knows of a workspace's billing: its free credit, and reports that nobody has sent.
import { type DynamoDBDocumentClient, GetCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { BillingReader } from "../../domain/billing/billing-reader.ts";
import { withRetries } from "./client.ts";
import { creditOf } from "./credit-expressions.ts";
import { keys } from "./schema.ts";

export function billingReader(client: DynamoDBDocumentClient, tableName: string): BillingReader {
  return {
    async credit(tenantId) {
      const command = new GetCommand({ TableName: tableName, Key: keys.credit(tenantId), ConsistentRead: true });
      const { granted, spent } = creditOf((await withRetries(() => client.send(command))).Item);
      return { granted, spent };
    },

    async unreported(tenantId, months) {
      let sum = 0;
      for (const month of months) {
        const query = {
          TableName: tableName,
          KeyConditionExpression: "pk = :pk",
          // What is being sent is not known to have arrived.
          FilterExpression: "#state IN (:unsent, :sending)",
          ProjectionExpression: "#value",
          ExpressionAttributeNames: { "#state": "state", "#value": "value" },
          ExpressionAttributeValues: {
            ":pk": keys.report(tenantId, month).pk,
            ":unsent": "unsent",
            ":sending": "sending",
          },
        };
        await withRetries(async () => {
          let ofMonth = 0;
          for await (const { Items = [] } of paginateQuery({ client }, query)) {
            for (const { value } of Items) ofMonth += Number(value ?? 0);
          }
          sum += ofMonth;
        });
      }
      return sum;
    },
  };
}
