// A tenant's month as the meter sees it: what it has learned from the tenant's callers, read page by page.
import { maxNotices } from "../notices/due-notices.ts";
import type { DueNotice } from "../notices/notice.ts";

/** The facts of the callers read so far. Its size does not grow with their number. */
export type TenantMonth = {
  tenantId: string;
  /** When the earliest call of the month was admitted, in milliseconds. */
  since: number;
  /** The time of the last admission that was seen, in milliseconds. */
  until: number;
  /** Nano-USD spent by all callers that could be read. */
  spent: number;
  /** Hours with calls in flight. */
  hoursInFlight: Set<string>;
  /** Notices of the callers' budgets and of the free credit, at most as many as one run mails. */
  due: DueNotice[];
  problem: unknown;
};

/** Merges the facts of two groups of a tenant's callers. */
export function merge(one: TenantMonth, other: TenantMonth): TenantMonth {
  return {
    tenantId: one.tenantId,
    since: Math.min(one.since, other.since),
    until: Math.max(one.until, other.until),
    spent: one.spent + other.spent,
    hoursInFlight: new Set([...one.hoursInFlight, ...other.hoursInFlight]),
    due: [...one.due, ...other.due].slice(0, maxNotices),
    problem: one.problem ?? other.problem,
  };
}
