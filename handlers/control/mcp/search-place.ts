// The cursor of a search in the log, which has no places of its own: the end of the time that is searched, and how many calls were shown.
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";

export type SearchPlace = { to: number; shown: number };

/** @param most how many calls one search finds @throws Refusal invalid_request */
export function placeOf(
  cursor: string | undefined,
  { limit, most }: { limit: number; most: number },
): SearchPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, to, shown] = /^(\d{13})#(\d{1,5})$/.exec(cursor) ?? [];
  if (to === undefined || shown === undefined) {
    throw fieldRefusal("invalid_request", "cursor", "must be the next_cursor of an earlier page");
  }
  if (Number(shown) + limit >= most) {
    throw fieldRefusal("invalid_request", "cursor", `leads beyond ${most} calls: search a shorter time`);
  }
  return { to: Number(to), shown: Number(shown) };
}

export function cursorAt({ to, shown }: SearchPlace): string {
  return `${to}#${shown}`;
}
