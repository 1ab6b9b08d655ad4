// Service accounts: callers that are no people. Each has its limits on its keys, and stays known by its id when its last key has ended.

import { isPast } from "../access/api-key.ts";
import type { Page, PageRequest } from "../kernel/page.ts";

export type ServiceAccount = {
  callerId: string;
  /** The account's name: that of its key that was named last. */
  name: string | undefined;
  /** Decimal USD. */
  monthlyBudgetUsd: number | undefined;
  /** The end of each key that is not revoked, in ISO 8601; undefined for a key without an end. */
  keyEnds: ReadonlyMap<string, string | undefined>;
};

export interface ServiceAccountStore {
  /** Lists the accounts in the order of their ids, those without a key too. */
  list(tenantId: string, page: PageRequest): Promise<Page<ServiceAccount>>;
  /** Looks up which of these service accounts exist. @param ids each once */
  many(tenantId: string, ids: readonly string[]): Promise<ServiceAccount[]>;
}

/** Whether any key of the account is active. @param now in milliseconds */
export function hasGoodKey({ keyEnds }: ServiceAccount, now: number): boolean {
  return [...keyEnds.values()].some((end) => !isPast(end, now));
}
