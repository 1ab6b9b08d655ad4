// The ledger: one row for each settled request, from which everything else is derived. A row is absent, then perhaps provisional,
// then final. A final row never changes.
import type { CostParts } from "../catalog/price.ts";
import { type TokenUsage, totalTokens, type UsageSource } from "../catalog/token-usage.ts";
import type { Retention } from "../kernel/retention.ts";

/**
 * The usage that is known of a call whose end nobody heard: the prompt as the host told it or as it was estimated, and the output that was
 * received.
 */
export type KnownUsage = {
  /** Nano-USD. */
  cost: number;
  tokens: number;
};

/**
 * Where a call comes from: its API key, and its session and agent as the caller's tool says. A call with a token has no key, and a row that was
 * reclaimed after a crash has none of the three.
 */
export type CallOrigin = {
  key_id?: string | undefined;
  session_id?: string | undefined;
  agent_id?: string | undefined;
};

/** The days count from the call's admission. Corrections need the row, so it outlives what may still be settled (domain/budget/unsettled.ts). */
export const ledgerRetention = { days: 45 } as const satisfies Retention;

export type LedgerRow = CallOrigin & {
  tenant_id: string;
  caller_id: string;
  request_id: string;
  /** ISO 8601. It decides the hour of the row and the month of its cost. */
  admitted_at: string;
  settled_at: string;
  /** Public model id. */
  model: string;
  /** The inference profile by whose price the call costs. */
  profile: string;
  region: string;
  usage: TokenUsage;
  /** Integer nano-USD. The caller's budget pays it. */
  cost: number;
  /** The cost split by kind of token. Missing where `cost` is a bound and not the price of the tokens. */
  parts?: CostParts | undefined;
  source: UsageSource;
  /** Set if `usage` and `cost` are upper bounds: an invoice bills this usage instead. */
  known?: KnownUsage | undefined;
  /** Version of the reservation that the row settled. */
  version: number;
  /**
   * The row stands at the call's upper bounds, since its function died or, where the model host's invocations are logged, nobody heard its end.
   * The true usage replaces it once, within 40 days.
   */
  provisional?: true | undefined;
  /** The tenant's free credit paid the tokens. */
  on_credit?: true | undefined;
  /** The platform billed nobody when the call was admitted. No invoice ever has it, also where one bills later. */
  on_platform?: true | undefined;
  /** Nano-USD that the hour's report contained for the row, if its true usage came after the report was begun. */
  billed?: number | undefined;
  /** Nano-USD of the row's bound that the report gives back to the owner's allowance, and that the caller's slices lost with that correction. */
  given_back?: number | undefined;
};

type Used = Pick<LedgerRow, "known" | "usage" | "cost">;

/** What is known that a row's call used. */
export function knownUsage({ known, usage, cost }: Used): KnownUsage {
  return known ?? { cost, tokens: totalTokens(usage) };
}

/** What an invoice has of a row, before free credit. Whatever bills reads it here. */
export function billable(row: Used & Pick<LedgerRow, "on_platform">): KnownUsage {
  return row.on_platform ? { cost: 0, tokens: 0 } : knownUsage(row);
}

export interface LedgerStore {
  /** Writes the row unless the request has one. @returns the row that is in the ledger now */
  putIfAbsent(row: LedgerRow): Promise<LedgerRow>;
  get(row: Pick<LedgerRow, "tenant_id" | "admitted_at" | "request_id">): Promise<LedgerRow | undefined>;
  /**
   * The rows of a tenant's hour, page by page, since they may be more than memory holds.
   * @param requestId if given, only the row of this request
   */
  hour(tenantId: string, hour: string, requestId?: string): AsyncIterable<LedgerRow[]>;
}
