// Idle slices of an owner's allowance: callers have drawn them and hold nothing with them. A draw that is refused takes them back, once for all
// draws that are refused at the same time (docs/decisions/0093-idle-slices.md).
import type { NanoUsd } from "../kernel/money.ts";
import { hourMs, monthOf } from "../kernel/period.ts";
import { heldOf } from "./allowance.ts";
import { isOver } from "./reservation.ts";
import type { Spending, SpendingKey, Stock } from "./spending.ts";

/** A caller who has drawn slices in a month. */
export type SliceHolder = { key: SpendingKey; spending: Spending };

/** Each method throws Refusal store_unavailable. */
export interface IdleSliceStore {
  /**
   * Takes the one place of the owner's take-back. A function that dies has it until its end.
   * @returns how much is drawn; undefined if another function has the place
   */
  begin(ownerSub: string, place: { now: number; until: number }): Promise<NanoUsd | undefined>;
  /** Reads the callers of all of the owner's workspaces who have drawn in these months. A caller may be missing for some seconds after its first call. */
  holders(ownerSub: string, months: readonly string[]): Promise<SliceHolder[]>;
  /** Takes back what these callers hold idle, but for those who have called meanwhile. @returns how much came back */
  takeBack(ownerSub: string, holders: readonly SliceHolder[]): Promise<NanoUsd>;
  /** Gives the place back, and keeps what was found for other draws. */
  end(ownerSub: string, until: number, stock: Stock & { drawn: NanoUsd }): Promise<void>;
}

/** A take-back takes some tenths of a second. The place of a dead function is free after this. */
const placeMs = 5_000;
/** One transaction takes back from so many callers, and one take-back has so many transactions at most. */
const callersAtOnce = 24;
const mostTransactions = 5;

/** The months whose callers may hold slices now: calls of the month before end within an hour. */
export function sliceMonths(now: number): string[] {
  return [...new Set([monthOf(now), monthOf(now - hourMs)])];
}

/** The part of a caller's slices that it neither used nor reserved. Who overdraws gives nothing back. */
export function idleOf(spending: Spending): NanoUsd {
  const { allowance, overdraft } = spending;
  return allowance === undefined || overdraft !== undefined ? 0 : Math.max(0, allowance - heldOf(spending));
}

/** The sum of what callers have drawn and not used: their calls in flight reserve it, or it is idle. */
export function reservedOf(holders: readonly SliceHolder[]): NanoUsd {
  return holders.reduce((sum, { spending: { allowance, spent } }) => sum + Math.max(0, (allowance ?? 0) - spent), 0);
}

export class IdleSlices {
  readonly #store: IdleSliceStore;
  readonly #clock: () => number;

  constructor({ store, clock }: { store: IdleSliceStore; clock: () => number }) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Takes back the idle slices of an owner's callers, the largest first.
   * @returns undefined if another function takes them back at this moment
   */
  async takeBack(ownerSub: string): Promise<(Stock & { freed: NanoUsd }) | undefined> {
    const at = this.#clock();
    const until = at + placeMs;
    const drawn = await this.#store.begin(ownerSub, { now: at, until });
    if (drawn === undefined) return undefined;
    const holders = await this.#store.holders(ownerSub, sliceMonths(at));
    const idle = holders.filter(({ spending }) => idleOf(spending) > 0);
    idle.sort((one, other) => idleOf(other.spending) - idleOf(one.spending));
    let freed = 0;
    for (let part = 0; part < mostTransactions && part * callersAtOnce < idle.length; part++) {
      const callers = idle.slice(part * callersAtOnce, (part + 1) * callersAtOnce);
      // Callers on whose items others work at this moment are no idle ones.
      freed += await this.#store.takeBack(ownerSub, callers).catch(() => 0);
    }
    const stock = { at, inFlight: inFlight(holders, at) };
    // Without what others drew meanwhile, so that it differs from what is drawn then.
    await this.#store.end(ownerSub, until, { ...stock, drawn: drawn - freed });
    return { ...stock, freed };
  }
}

/** A dead call is booked at its bound: nothing comes back of what it has reserved. */
function inFlight(holders: readonly SliceHolder[], now: number): NanoUsd {
  const alive = holders.flatMap(({ spending }) => spending.reservations.filter((one) => !isOver(one, now)));
  return alive.reduce((sum, { amount }) => sum + amount, 0);
}
