// What the meter keeps of a tenant's month on its walk through the callers.
import type { Due } from "../notices/notice.ts";
import { mostNotices } from "../notices/notices.ts";

/** A tenant's callers in a month, as far as they were walked through. Small, however many there are. */
export type TenantMonth = {
  tenantId: string;
  /** When the first of its callers was admitted first, in milliseconds. */
  since: number;
  /** No call was admitted after that. */
  until: number;
  /** By all of its callers that could be looked at, in nano-USD. */
  spent: number;
  /** Hours with calls in flight. */
  standing: Set<string>;
  /** To be mailed of its callers' budgets and its free credit, as many as one run mails. */
  due: Due[];
  problem: unknown;
};

/** Of both parts of its callers. */
export function together(one: TenantMonth, other: TenantMonth): TenantMonth {
  return {
    tenantId: one.tenantId,
    since: Math.min(one.since, other.since),
    until: Math.max(one.until, other.until),
    spent: one.spent + other.spent,
    standing: new Set([...one.standing, ...other.standing]),
    due: [...one.due, ...other.due].slice(0, mostNotices),
    problem: one.problem ?? other.problem,
  };
}
