// Reads a page of an index. Index keys are attributes that every writer may set on its own rows, so other rows may lie between the
// listed items; they are skipped, and no page begins at one of them.
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { withRetries } from "./client.ts";

type Item = Record<string, unknown>;

type Listing = {
  limit: number;
  /** Whether an item belongs to the list; see `hasKey`. */
  isListed: (item: Item) => boolean;
};

/** Reads until the page is full. @param query with the key of the previous page's last item as `ExclusiveStartKey` */
export async function listed(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
  { limit, isListed }: Listing,
): Promise<{ items: Item[]; isMore: boolean }> {
  const items: Item[] = [];
  let start = query.ExclusiveStartKey;
  do {
    // DynamoDB applies a limit before the filter, so a filtered query without one finds few items among many in fewer calls.
    const Limit = query.FilterExpression === undefined ? limit - items.length : undefined;
    const command = new QueryCommand({ ...query, Limit, ExclusiveStartKey: start });
    const { Items = [], LastEvaluatedKey } = await withRetries(() => client.send(command));
    items.push(...Items.filter(isListed));
    start = LastEvaluatedKey;
  } while (start !== undefined && items.length < limit);
  return { items: items.slice(0, limit), isMore: start !== undefined || items.length > limit };
}
