// Lists of the emulated KMS, a page at a time.
import * as z from "zod";

/** The members of a listing operation's input. */
export const page = { Limit: z.int().min(1).max(1000).default(50), Marker: z.string().regex(/^\d+$/).optional() };

/** A marker is the place of the next item. */
export function paged<Item>(
  all: Item[],
  { Limit, Marker = "0" }: { Limit: number; Marker?: string | undefined },
): { items: Item[]; Truncated: boolean; NextMarker?: string } {
  const start = Number(Marker);
  const next = start + Limit;
  const items = all.slice(start, next);
  return next < all.length ? { items, Truncated: true, NextMarker: String(next) } : { items, Truncated: false };
}
