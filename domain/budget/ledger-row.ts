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
