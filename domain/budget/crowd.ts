// A workspace's calls in flight, all callers together: no workspace takes the executions that others need.
import { Refusal } from "../kernel/refusal.ts";

/** A call's place, which it gives back when it is settled. */
export type CrowdPlace = { tenantId: string; window: number };

export interface Crowd {
  /** Counts one more call of the tenant. @returns how many there are with it @throws Refusal store_unavailable */
  enter(place: CrowdPlace): Promise<number>;
  leave(place: CrowdPlace): Promise<void>;
}

/**
 * A caller's first calls in flight, up to this number, are not counted and cost the store no write: the ceiling is for crowds, and most
 * callers are none.
 */
const uncountedOfCaller = 2;

/** A call lasts as long as its function may run (handlers/proxy/contract.ts), so it ends in its own window or the next. */
export const windowMs = 900_000;

type CrowdDependencies = { crowd: Crowd; maxCrowd: number; clock: () => number };

/**
 * Takes a place for an admitted call; undefined for one that is not counted. A store that does not answer refuses nobody. A function
 * that dies keeps its place until its window is over, half an hour at the most.
 * @param inflight calls of the caller, this one included
 * @throws Refusal concurrency_limited
 */
export async function enterCrowd(
  { crowd, maxCrowd, clock }: CrowdDependencies,
  tenantId: string,
  inflight: number,
): Promise<CrowdPlace | undefined> {
  if (inflight <= uncountedOfCaller) return undefined;
  const place = { tenantId, window: Math.floor(clock() / windowMs) };
  const count = await crowd.enter(place).catch(() => undefined);
  if (count === undefined) return undefined;
  if (count <= maxCrowd) return place;
  await leaveCrowd(crowd, place);
  const message = `${maxCrowd} requests of this workspace are in flight, which is the most for all of its callers together.`;
  throw new Refusal("concurrency_limited", message);
}

/** Never rejects: a place that is not given back is free when its window is over. */
export async function leaveCrowd(crowd: Pick<Crowd, "leave">, place: CrowdPlace | undefined): Promise<void> {
  if (place) await crowd.leave(place).catch(() => {});
}
