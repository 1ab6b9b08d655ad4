// Reads a page of an index, newest first. Index keys are attributes that every writer may set on its own rows, so other rows may lie between the
// listed items; they are skipped, and no page begins at one of them.
import type { QueryOptions, Range, Rows } from "./rows.ts";
import type { Item } from "./write.ts";

type Listing = {
  limit: number;
  /** Key of the previous page's last item, in the table and in the index. */
  start: Item | undefined;
  /** Whether an item belongs to the list; see `hasKey`. */
  isListed: (item: Item) => boolean;
  filter?:
    | Pick<QueryOptions, "FilterExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues">
    | undefined;
};

/** Reads until the page is full. */
export async function listed(
  rows: Rows,
  range: Range,
  { limit, start: first, isListed, filter }: Listing,
): Promise<{ items: Item[]; isMore: boolean }> {
  const items: Item[] = [];
  let start = first;
  do {
    // DynamoDB applies a limit before the filter, so a filtered query without one finds few items among many in fewer calls.
    const Limit = filter ? undefined : limit + 1 - items.length;
    const { Items = [], LastEvaluatedKey } = await rows.query(range, {
      ...filter,
      Limit,
      ExclusiveStartKey: start,
      ScanIndexForward: false,
    });
    items.push(...Items.filter(isListed));
    start = LastEvaluatedKey;
    // The loop reads one item more than was asked for: it tells whether there are more, so that a cursor never leads to an empty page.
  } while (start !== undefined && items.length <= limit);
  return { items: items.slice(0, limit), isMore: items.length > limit };
}
