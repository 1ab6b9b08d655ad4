// The ledger rows of a call: they hold what the call cost or, if that is unknown, its bounds.
import type { CostParts } from "../catalog/price.ts";
import { noUsage, type TokenUsage, type UsageSource } from "../catalog/token-usage.ts";
import type { CallOrigin, KnownUsage, LedgerRow } from "../ledger/ledger.ts";
import { isTicket, type Reservation } from "./reservation.ts";
import type { SpendingKey } from "./spending.ts";

/** The cost of a request, and the origin of the request. */
export type Outcome = CallOrigin & {
  usage: TokenUsage;
  source: UsageSource;
  cost: number;
  parts?: CostParts | undefined;
  /** Set where `usage` and `cost` are upper bounds: the usage that is known for certain. */
  known?: KnownUsage | undefined;
  /** The model host's log may tell the true usage later. */
  provisional?: true | undefined;
};

export type RowFacts = {
  /** The public id of the model behind an inference profile. */
  modelOf: (profile: string) => string;
  clock: () => number;
};

/**
 * The outcome to settle for a call whose cost is unknown: the model host may have billed it in full, so the budget pays the bounds. An
 * invoice has what is known.
 */
export function outcomeAtBounds(reservation: Pick<Reservation, "bounds" | "amount" | "known">): Outcome {
  const { bounds, amount, known } = reservation;
  // A call with a ticket only has not reached the model host.
  if (isTicket(reservation)) return { usage: noUsage, source: "estimated", cost: amount };
  const billed = known !== undefined && { known: { cost: Math.min(known, amount), tokens: bounds.input } };
  return { usage: { ...noUsage, ...bounds }, source: "estimated", cost: amount, ...billed };
}

/** The outcome of a call that the model host did not bill. */
export const nothingBilled: Outcome = { usage: noUsage, source: "final", cost: 0 };

export function finalRow(facts: RowFacts, key: SpendingKey, reservation: Reservation, outcome: Outcome): LedgerRow {
  const { tenantId, callerId } = key;
  const { requestId, profile, region, version, onCredit, onPlatform } = reservation;
  return {
    ...{ tenant_id: tenantId, caller_id: callerId, request_id: requestId },
    admitted_at: new Date(reservation.admittedAt).toISOString(),
    settled_at: new Date(facts.clock()).toISOString(),
    model: facts.modelOf(profile),
    ...{ profile, region, version },
    ...(onCredit && { on_credit: true as const }),
    ...(onPlatform && { on_platform: true as const }),
    ...outcome,
  };
}

export function provisionalRow(facts: RowFacts, key: SpendingKey, reservation: Reservation): LedgerRow {
  return { ...finalRow(facts, key, reservation, outcomeAtBounds(reservation)), provisional: true };
}

/** Writes that change the ledger and a caller's spending together. Each is one transaction: all of it or nothing. */
export interface LedgerTransactions {
  /** Books a dead reservation at its amount: puts the row unless the request has one, and settles the reservation. */
  reclaim(key: SpendingKey, reservation: Reservation, provisional: LedgerRow): Promise<boolean>;
  /** A second attempt of the same request died too: its amount goes on top of the provisional row that stands. */
  reclaimAgain(key: SpendingKey, reservation: Reservation, standing: LedgerRow): Promise<boolean>;
  /**
   * Replaces a provisional row, if it still stands at that cost, and books the difference. If the hour is reported already,
   * the difference goes into the next report.
   * @param own the request's own reservation of another attempt, settled with it
   */
  correct(
    key: SpendingKey,
    rows: { standing: LedgerRow; truth: LedgerRow },
    own?: Reservation | undefined,
  ): Promise<boolean>;
}
