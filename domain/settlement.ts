// Booking what a request cost: first its ledger row, then its reservation. Each step may be repeated; neither counts twice.
import type { Admitted, SpendingKey, SpendingStore } from "./admission.ts";
import type { Reservation } from "./budget.ts";
import type { LedgerRow } from "./ledger.ts";
import { promptTokens, type TokenUsage, type UsageSource } from "./usage.ts";

export interface LedgerStore {
  /** Writes the row unless the request has one. */
  putIfAbsent(row: LedgerRow): Promise<void>;
  get(tenantId: string, admittedAt: number, requestId: string): Promise<LedgerRow | undefined>;
  /** All rows of a tenant's hour. */
  hour(tenantId: string, hour: string): Promise<LedgerRow[]>;
}

/** A request as it was admitted; without a reservation there is nothing to book. */
export type Booked = Pick<Admitted, "key" | "reservation">;

/** What a request turned out to cost. */
export type Outcome = { usage: TokenUsage; source: UsageSource; cost: number };

const noUsage: TokenUsage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };

export class Settlements {
  readonly #ledger: Pick<LedgerStore, "putIfAbsent" | "get">;
  readonly #spending: Pick<SpendingStore, "settle">;
  readonly #clock: () => number;

  constructor(dependencies: {
    ledger: Pick<LedgerStore, "putIfAbsent" | "get">;
    spending: Pick<SpendingStore, "settle">;
    clock: () => number;
  }) {
    this.#ledger = dependencies.ledger;
    this.#spending = dependencies.spending;
    this.#clock = dependencies.clock;
  }

  /** Books the cost of a request that was admitted with a reservation. */
  async book({ key, reservation }: Booked, outcome: Outcome): Promise<void> {
    if (!reservation) return;
    await this.#ledger.putIfAbsent(this.rowOf(key, reservation, outcome));
    await this.#spending.settle({ key, reservation, cost: outcome.cost, tokens: totalTokens(outcome.usage) });
  }

  /** Gives the reservation back: the model host refused, so it billed nothing. */
  async release({ key, reservation }: Booked): Promise<void> {
    if (reservation) await this.#spending.settle({ key, reservation, cost: 0, tokens: 0 });
  }

  /**
   * Books a reservation whose function is gone: at what the ledger says, or, if it says nothing, at the whole estimate,
   * because the model host billed the call and nobody knows for how much.
   */
  async reclaim(key: SpendingKey, reservation: Reservation): Promise<void> {
    const { requestId, admittedAt, estimate, creditTokens = 0 } = reservation;
    let row = await this.#ledger.get(key.tenantId, admittedAt, requestId);
    if (!row) {
      const outcome = { usage: noUsage, source: "estimated", cost: estimate } as const;
      await this.#ledger.putIfAbsent(this.rowOf(key, reservation, outcome));
      // Another instance may have been first, with a cost that is known.
      row = await this.#ledger.get(key.tenantId, admittedAt, requestId);
    }
    const known = row && totalTokens(row.usage);
    await this.#spending.settle({ key, reservation, cost: row?.cost ?? estimate, tokens: known || creditTokens });
  }

  rowOf({ tenantId, callerId }: SpendingKey, reservation: Reservation, outcome: Outcome): LedgerRow {
    return {
      tenant_id: tenantId,
      caller_id: callerId,
      request_id: reservation.requestId,
      admitted_at: new Date(reservation.admittedAt).toISOString(),
      settled_at: new Date(this.#clock()).toISOString(),
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
