// A page of an index: only items that are what they claim to be. Index keys are attributes that every writer may set on its own
// rows, so others may lie between them; these are passed over, and never where the next page begins.
import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { withRetries } from "./client.ts";

type Item = Record<string, unknown>;

type Listing = {
  limit: number;
  /** Whether an item is one of those that are listed; see `hasKey`. */
  isListed: (item: Item) => boolean;
};

/** @param query with `ExclusiveStartKey` of the page before's last item. It reads on until the page is full. */
export async function listed(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
  { limit, isListed }: Listing,
): Promise<{ items: Item[]; isMore: boolean }> {
  const items: Item[] = [];
  let start = query.ExclusiveStartKey;
  do {
    // A limit counts before a filter: few among many are found in as few calls as they fill.
    const Limit = query.FilterExpression === undefined ? limit - items.length : undefined;
    const command = new QueryCommand({ ...query, Limit, ExclusiveStartKey: start });
    const { Items = [], LastEvaluatedKey } = await withRetries(() => client.send(command));
    items.push(...Items.filter(isListed));
    start = LastEvaluatedKey;
  } while (start !== undefined && items.length < limit);
  return { items: items.slice(0, limit), isMore: start !== undefined || items.length > limit };
}
