// A workspace's monthly cap, over all its callers. The meter adds up what the callers spent and marks the tenant's row once the
// sum reaches the cap; the proxy compares the mark with the cap, so that a raised cap counts without waiting for the meter.
import { maxNanoUsd, parseUsd } from "../kernel/money.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { CapMark, Tenant } from "../workspace/tenant.ts";

export type WorkspaceCap = Pick<Tenant, "monthly_cap_usd" | "capped_month">;

export interface WorkspaceCapStore {
  /** The tenant's cap; undefined for a purged tenant. */
  of(tenantId: string): Promise<WorkspaceCap | undefined>;
  /** Replaces a mark, if it still stands; undefined means no mark. Nothing happens if another job was faster. */
  mark(tenantId: string, change: { from: CapMark | undefined; to: CapMark | undefined }): Promise<void>;
}

/** Whether the cap is reached. A mark of another month does not count, nor a mark below a cap that was raised since. */
export function isCapped({ monthly_cap_usd, capped_month }: WorkspaceCap, month: string): boolean {
  if (monthly_cap_usd === undefined) return false;
  const known = capped_month?.month === month ? capped_month.spent : 0;
  return parseUsd(monthly_cap_usd) <= known;
}

/**
 * The mark that should stand.
 * @param spent of the callers in this month, in nano-USD
 * @param isWhole whether all of them could be read: if not, they spent at least that
 */
export function markOf(
  { monthly_cap_usd, capped_month }: WorkspaceCap,
  { month, spent, isWhole }: { month: string; spent: number; isWhole: boolean },
): CapMark | undefined {
  // A larger sum is not exact as a number, and no cap is larger.
  const counted = Math.min(spent, maxNanoUsd);
  if (monthly_cap_usd !== undefined && counted >= parseUsd(monthly_cap_usd)) return { month, spent: counted };
  return isWhole ? undefined : capped_month;
}

/** The refusal has no `retry-after`, as the refusal for a caller's own budget has none. */
export function workspaceCapped(resetsAt: number): Refusal {
  const reset = new Date(resetsAt).toISOString();
  const message = `The workspace's monthly cap is reached, for all its callers. Its owner can raise it, which counts within a minute; it resets at ${reset}.`;
  return new Refusal("cap_reached", message, { resetsAt });
}
