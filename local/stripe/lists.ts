// Pages of lists in the shape of Stripe, newest first (docs.stripe.com/api/pagination).
import type { List } from "./objects.ts";
import { missing } from "./refusal.ts";

type Page = { limit?: number | undefined; starting_after?: string | undefined };

const defaultLimit = 10;

/** @param items in the order of their creation */
export function listOf<T extends { id: string }>(url: string, items: T[], page: Page): List<T> {
  const { limit = defaultLimit, starting_after } = page;
  const newestFirst = items.toReversed();
  const start = starting_after === undefined ? 0 : indexOf(newestFirst, starting_after) + 1;
  const data = newestFirst.slice(start, start + limit);
  return { object: "list", data, has_more: start + limit < newestFirst.length, url };
}

function indexOf(items: { id: string }[], id: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index < 0) throw missing("object", id, "starting_after", 400);
  return index;
}
