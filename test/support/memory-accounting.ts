// The accounting in memory: what spending, free credit and ledger are meant to be, told plainly. The real stores are compared
// with it, and rules that need accounting run over it.

import { hourOf } from "../../domain/period.ts";
import type { LedgerRow, LedgerStore } from "../../domain/spending/ledger.ts";
import { interval, tolerance } from "../../domain/spending/rate-limit.ts";
import type { Reservation } from "../../domain/spending/reservation.ts";
import type {
  AdmissionWrite,
  Credit,
  Settlement,
  Spending,
  SpendingKey,
  SpendingStore,
} from "../../domain/spending/spending.ts";
import { freeCreditTokens } from "../../domain/tenancy/tenant.ts";

type CreditState = Credit & { reserved: Map<string, number> };
export type AccountingCall = "admit" | "settle" | "putIfAbsent" | "hour";

export class MemoryAccounting implements SpendingStore, LedgerStore {
  readonly spending = new Map<string, Spending>();
  readonly activeCallers = new Map<string, SpendingKey>();
  readonly credits = new Map<string, CreditState>();
  readonly rows = new Map<string, LedgerRow>();
  /** Called before and after the effect of each call; what it throws, the call throws. */
  disturb: (call: AccountingCall, when: "before" | "after") => void = () => {};
  readonly calls: AccountingCall[] = [];

  async grant(tenantId: string): Promise<void> {
    this.credits.set(tenantId, { granted: freeCreditTokens, spent: 0, committed: 0, reserved: new Map() });
  }

  async creditOf(tenantId: string): Promise<Credit | undefined> {
    return this.credits.get(tenantId);
  }

  of(key: SpendingKey): Spending {
    const known = this.spending.get(nameOf(key));
    return known ?? { spent: 0, committed: 0, inflight: 0, tat: 0, reservations: [] };
  }

  admit(write: AdmissionWrite): ReturnType<SpendingStore["admit"]> {
    return this.#run("admit", () => {
      const { key, reservation, needsCredit } = write;
      this.activeCallers.set(nameOf(key), key);
      const before = this.of(key);
      const credit = this.credits.get(key.tenantId);
      const onCredit = reservation ? reservation.creditTokens !== undefined : needsCredit;
      const state = (admitted: boolean) => ({
        admitted,
        spending: structuredClone(this.of(key)),
        credit: onCredit
          ? { granted: credit?.granted ?? 0, spent: credit?.spent ?? 0, committed: credit?.committed ?? 0 }
          : undefined,
      });
      if (reservation && before.reservations.some(({ requestId }) => requestId === reservation.requestId)) {
        return state(true);
      }
      if (!mayBe(before, write) || (onCredit && !coversCredit(credit, reservation?.creditTokens ?? 0))) {
        return state(false);
      }
      this.spending.set(nameOf(key), {
        ...before,
        tat: Math.max(write.nowMicros, before.tat) + interval(write.limits.rate),
        ...(reservation && {
          committed: before.committed + reservation.reservedCost,
          inflight: before.inflight + 1,
          reservations: [...before.reservations, reservation],
        }),
      });
      if (onCredit && credit && reservation) {
        credit.committed += reservation.creditTokens ?? 0;
        credit.reserved.set(reservation.requestId, reservation.creditTokens ?? 0);
      }
      return state(true);
    });
  }

  settle({ key, reservation, cost, tokens }: Settlement): Promise<void> {
    return this.#run("settle", () => {
      const { requestId, reservedCost } = reservation;
      const credit = this.credits.get(key.tenantId);
      const reserved = credit?.reserved.get(requestId);
      if (credit && reserved !== undefined) {
        credit.reserved.delete(requestId);
        credit.spent += tokens;
        credit.committed += tokens - reserved;
      }
      const before = this.of(key);
      const rest = before.reservations.filter((each) => each.requestId !== requestId);
      if (rest.length === before.reservations.length) return;
      this.spending.set(nameOf(key), {
        ...before,
        spent: before.spent + cost,
        committed: before.committed + cost - reservedCost,
        inflight: before.inflight - 1,
        reservations: rest,
      });
    });
  }

  putIfAbsent(row: LedgerRow): Promise<LedgerRow> {
    return this.#run("putIfAbsent", () => {
      const standing = this.rows.get(row.request_id) ?? row;
      this.rows.set(row.request_id, standing);
      return standing;
    });
  }

  hour(tenantId: string, hour: string): Promise<LedgerRow[]> {
    return this.#run("hour", () =>
      [...this.rows.values()].filter(
        ({ tenant_id, admitted_at }) => tenant_id === tenantId && hourOf(Date.parse(admitted_at)) === hour,
      ),
    );
  }

  async #run<T>(call: AccountingCall, act: () => T): Promise<T> {
    this.calls.push(call);
    this.disturb(call, "before");
    const result = act();
    this.disturb(call, "after");
    return result;
  }
}

export function nameOf({ tenantId, callerId, month }: SpendingKey): string {
  return `${tenantId} ${callerId} ${month}`;
}

/** What must always hold of a caller's item. */
export function soundness({ spent, committed, inflight, reservations }: Spending) {
  const reserved = reservations.reduce((sum: number, { reservedCost }: Reservation) => sum + reservedCost, 0);
  return {
    spentIsNotNegative: spent >= 0,
    committedIsSpentAndReserved: committed === spent + reserved,
    inflightIsReservations: inflight === reservations.length,
  };
}

export const sound = { spentIsNotNegative: true, committedIsSpentAndReserved: true, inflightIsReservations: true };

function mayBe(before: Spending, { limits, reservation, nowMicros }: AdmissionWrite): boolean {
  const { spent, committed, inflight, tat } = before;
  if (tat > nowMicros + tolerance(limits.rate)) return false;
  if (limits.cap !== undefined && spent >= limits.cap) return false;
  if (!reservation) return true;
  if (inflight >= limits.maxInFlight) return false;
  if (limits.cap === undefined || limits.enforcement === "spent") return true;
  return committed === spent || committed + reservation.reservedCost <= limits.cap;
}

function coversCredit(credit: CreditState | undefined, tokens: number): boolean {
  if (!credit || credit.spent >= credit.granted) return false;
  if (tokens === 0) return true;
  return credit.committed === credit.spent || credit.committed + tokens <= credit.granted;
}
