// Families of refresh tokens: one for each sign-in. A family has generations, of which the newest two are good.
import type { AuditEntry } from "../workspace/audit.ts";

export type RefreshFamily = {
  tenant_id: string;
  family_id: string;
  /** The newest generation. */
  generation: number;
  /** When the newest generation began, in milliseconds. */
  since: number;
  /** When a copy of an older generation was first seen. */
  stale_seen_at?: string | undefined;
};

export interface RefreshFamilies {
  /** Undefined until a family's first generation is replaced. */
  get(tenantId: string, familyId: string): Promise<RefreshFamily | undefined>;
  /** Begins a generation, unless the family has it or a later one. @param until when the sign-in ends, in milliseconds */
  begin(family: RefreshFamily, until: number): Promise<void>;
  /** Notes that a copy of an older generation was seen, with its entry of the audit trail; only the first time. */
  noteStale(tenantId: string, familyId: string, at: string, entry: AuditEntry): Promise<void>;
}

/** A generation is replaced at most this often: programs that share one token refresh side by side, each from its own copy. */
const generationMs = 3_600_000;

/** A sealed refresh token, as far as its generation goes. */
export type Generation = { generation: number; since: number };

/**
 * The generation with which a refresh token is answered.
 * - The newest generation is replaced once it is presented at an age of an hour or more.
 * - The generation before is good until then, and is answered with the newest: whoever missed an answer, or slept, catches up.
 * - An older generation is `stale`. Whoever holds it was away while others went on for two generations or more: a machine that slept, or a thief.
 * A generation that the store does not know yet is newer than the store, since only this stack can have sealed it.
 */
export function nextGeneration(
  presented: Generation,
  family: Pick<RefreshFamily, "generation" | "since"> | undefined,
  now: number,
): Generation | "stale" {
  const newest = family && family.generation >= presented.generation ? family : presented;
  if (presented.generation < newest.generation - 1) return "stale";
  const isDue = presented.generation === newest.generation && now - newest.since >= generationMs;
  if (isDue) return { generation: newest.generation + 1, since: now };
  return { generation: newest.generation, since: newest.since };
}
