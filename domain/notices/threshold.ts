// How much of a limit is used, in the steps that are mailed.

export const thresholds = [50, 80, 100] as const;
/** Percent. */
export type Threshold = (typeof thresholds)[number];

/** What is used of a limit: nano-USD, or tokens. */
export type Use = { used: number; limit: number };

/** The highest threshold that is reached. None of a limit of nothing, nor by a number that is none, as of a broken row. */
export function reachedThreshold({ used, limit }: Use): Threshold | undefined {
  if (limit <= 0 || !Number.isSafeInteger(used)) return undefined;
  // Amounts times a hundred are beyond what a number has exactly.
  return thresholds.findLast((percent) => BigInt(used) * 100n >= BigInt(limit) * BigInt(percent));
}
