// Rollups summed by groups, all rows at once.
import type { Rollup } from "../../../domain/ledger/rollup.ts";
import { type Grouping, UsageGroups, type UsageRow } from "../../../domain/ledger/usage-groups.ts";

export function usageBy(rollups: readonly Rollup[], by: readonly Grouping[]): UsageRow[] {
  const groups = new UsageGroups(by);
  for (const rollup of rollups.toSorted((one, other) => (one.hour < other.hour ? -1 : 1))) groups.add(rollup);
  return groups.page(Number.POSITIVE_INFINITY).rows;
}
