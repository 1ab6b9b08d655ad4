// Settling what a request cost: first its ledger row, then its reservation. Each step may be repeated; neither counts twice.

import { promptTokens, type TokenUsage, type UsageSource } from "../messages/usage.ts";
import type { CallOrigin, LedgerRow, LedgerStore } from "./ledger.ts";
import type { Reservation } from "./reservation.ts";
import type { Admitted } from "./reservations.ts";
import type { SpendingKey, SpendingStore } from "./spending.ts";

/** A request as it was admitted; without a reservation there is nothing to settle. */
export type Settleable = Pick<Admitted, "key" | "reservation">;

/** What a request turned out to cost, and where it came from. */
export type Outcome = CallOrigin & { usage: TokenUsage; source: UsageSource; cost: number };

/** What is settled for a call of which nobody knows what it cost: the model host may have billed it in full. */
export function outcomeAtBounds({ bounds, reservedCost }: Reservation): Outcome {
  const usage = { ...bounds, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
  return { usage, source: "estimated", cost: reservedCost };
}

type SettlementDependencies = {
  ledger: Pick<LedgerStore, "putIfAbsent">;
  spending: Pick<SpendingStore, "settle">;
  clock: () => number;
};

export class Settlements {
  readonly #deps: SettlementDependencies;

  constructor(deps: SettlementDependencies) {
    this.#deps = deps;
  }

  /** Settles the cost of a request that was admitted with a reservation. Of two that settle it, the first decides the cost. */
  async settle({ key, reservation }: Settleable, outcome: Outcome): Promise<void> {
    if (!reservation) return;
    const { cost, usage } = await this.#deps.ledger.putIfAbsent(this.rowOf(key, reservation, outcome));
    await this.#deps.spending.settle({ key, reservation, cost, tokens: totalTokens(usage) });
  }

  /** Takes the reservation away: the model host refused, so it billed nothing. */
  async release({ key, reservation }: Settleable): Promise<void> {
    if (reservation) await this.#deps.spending.settle({ key, reservation, cost: 0, tokens: 0 });
  }

  /** Settles a reservation whose function is gone: at what the ledger says, or, if it says nothing, at its bounds. */
  async reclaim(key: SpendingKey, reservation: Reservation): Promise<void> {
    await this.settle({ key, reservation }, outcomeAtBounds(reservation));
  }

  rowOf({ tenantId, callerId }: SpendingKey, reservation: Reservation, outcome: Outcome): LedgerRow {
    return {
      tenant_id: tenantId,
      caller_id: callerId,
      request_id: reservation.requestId,
      admitted_at: new Date(reservation.admittedAt).toISOString(),
      settled_at: new Date(this.#deps.clock()).toISOString(),
      model: reservation.model,
      profile: reservation.profile,
      region: reservation.region,
      ...outcome,
    };
  }
}

function totalTokens(usage: TokenUsage): number {
  return promptTokens(usage) + usage.output;
}
