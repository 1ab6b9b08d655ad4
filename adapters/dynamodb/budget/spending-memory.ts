// The spending of callers as this instance of the function saw it last. A write that assumes this state mostly succeeds at the first try.
import {
  nothingSpent,
  type Seen,
  type SettlementWrite,
  type Spending,
  type SpendingKey,
  type SpendingState,
} from "../../../domain/budget/spending.ts";
import { Cache } from "../../../domain/kernel/cache.ts";

const maxRemembered = 10_000;

export class SpendingMemory {
  readonly #seen: Cache<Seen>;
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#seen = new Cache({ size: maxRemembered, ttlMs: Number.POSITIVE_INFINITY, clock });
    this.#clock = clock;
  }

  lastSeen(key: SpendingKey): Seen | undefined {
    return this.#seen.get(nameOf(key));
  }

  /** Reckons the state after a settlement from the state that was seen last. */
  settle({ key, reservation, cost }: Omit<SettlementWrite, "tokens">): Spending {
    const { spending = nothingSpent } = this.lastSeen(key) ?? {};
    const { amount, overdraft } = reservation;
    const settled = {
      ...spending,
      spent: spending.spent + cost,
      committed: Math.max(0, spending.committed + cost - (overdraft ? 0 : amount)),
      inflight: Math.max(0, spending.inflight - 1),
      overdraft: overdraft ? undefined : spending.overdraft,
    };
    return this.remember(key, { spending: settled }).spending;
  }

  /** Remembers a state without its reservations, of which there are as many as calls in flight. */
  remember<T extends SpendingState>(key: SpendingKey, state: T): T {
    const name = nameOf(key);
    const { credit, creditSeenAt } = state.credit
      ? { credit: { ...state.credit, reservations: [] }, creditSeenAt: this.#clock() }
      : { credit: undefined, creditSeenAt: undefined, ...this.#seen.get(name) };
    const seen: Seen = {
      spending: { ...state.spending, reservations: [], tombstones: [] },
      ...(credit && { credit, creditSeenAt }),
    };
    this.#seen.set(name, seen);
    return state;
  }
}

function nameOf({ tenantId, callerId, month }: SpendingKey): string {
  return `${tenantId}#${callerId}#${month}`;
}
