// Pages of lists in the shape of Stripe, newest first (docs.stripe.com/api/pagination).
import type { List } from "./objects.ts";
import { missing } from "./refusal.ts";

type Page = { limit?: number | undefined; starting_after?: string | undefined; ending_before?: string | undefined };

const defaultLimit = 10;

/** @param items in the order of their creation */
export function listOf<T extends { id: string }>(url: string, items: T[], page: Page): List<T> {
  const { limit = defaultLimit, starting_after, ending_before } = page;
  const newestFirst = items.toReversed();
  if (ending_before !== undefined) {
    const end = indexOf(newestFirst, ending_before, "ending_before");
    const start = Math.max(0, end - limit);
    return { object: "list", data: newestFirst.slice(start, end), has_more: start > 0, url };
  }
  const start = starting_after === undefined ? 0 : indexOf(newestFirst, starting_after, "starting_after") + 1;
  const data = newestFirst.slice(start, start + limit);
  return { object: "list", data, has_more: start + limit < newestFirst.length, url };
}

function indexOf(items: { id: string }[], id: string, param: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index < 0) throw missing("object", id, param, 400);
  return index;
}
