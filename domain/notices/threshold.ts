// Thresholds: the steps of a limit's use at which a mail is sent.

export const thresholds = [50, 80, 100] as const;
/** Percent. */
export type Threshold = (typeof thresholds)[number];

/** The use of a limit, in nano-USD or tokens. */
export type Use = { used: number; limit: number };

/** The highest threshold that is reached. A limit of 0 has none, and neither has a number that is not whole, as of a broken row. */
export function reachedThreshold({ used, limit }: Use): Threshold | undefined {
  if (limit <= 0 || !Number.isSafeInteger(used)) return undefined;
  // An amount times a hundred may be more than a number holds exactly.
  return thresholds.findLast((percent) => BigInt(used) * 100n >= BigInt(limit) * BigInt(percent));
}
