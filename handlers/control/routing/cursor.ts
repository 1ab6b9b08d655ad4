// A cursor belongs to the list that gave it: it begins with a mark of its route, and no other list takes it.
import { createHash } from "node:crypto";
import { record } from "../../../domain/kernel/json.ts";
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";
import type { Route } from "./route.ts";

type Place = Pick<Route, "method" | "path">;

const markLength = 6;

function markOf({ method, path }: Place): string {
  return createHash("sha256").update(`${method} ${path}`).digest("base64url").slice(0, markLength);
}

/** The cursor as callers see it. */
export function markedCursor(route: Place, cursor: string): string {
  return markOf(route) + cursor;
}

/** The answer with its cursor, if it has one, as callers see it. */
export function withMarkedCursor(route: Place, answer: unknown): unknown {
  const { next_cursor } = record(answer);
  if (typeof next_cursor !== "string") return answer;
  return { ...record(answer), next_cursor: markedCursor(route, next_cursor) };
}

/** The cursor as the list itself made it. @throws Refusal invalid_request for one of another list. */
export function ownCursor(route: Place, cursor: string): string {
  if (cursor.startsWith(markOf(route))) return cursor.slice(markLength);
  throw fieldRefusal("invalid_request", "cursor", "must be the next_cursor of an earlier page of this list");
}
