// What keeps the accounting right behind the proxy: usage that could not be settled, reservations whose caller stays away, and
// rollups of the hours that are over. Every step may be repeated.
import pMap from "p-map";
import type { Log } from "../log.ts";
import { hourOf, monthOf, nextMonth } from "../period.ts";
import type { LedgerRow } from "./ledger.ts";
import type { Reservation } from "./reservation.ts";
import { type RollupStore, rollupsOf } from "./rollup.ts";
import type { Settlements } from "./settlement.ts";
import type { Spending, SpendingKey } from "./spending.ts";
import type { UnsettledUsage } from "./unsettled.ts";

export type MeteringDependencies = {
  /** What the proxy could not settle since then. */
  unsettled: (since: number) => AsyncIterable<UnsettledUsage>;
  /** Everyone who has a spending item in the month. */
  activeCallers: (month: string) => AsyncIterable<SpendingKey>;
  spendingOf: (key: SpendingKey) => Promise<Spending>;
  settlements: Pick<Settlements, "settle" | "reclaim" | "release">;
  ledgerHour: (tenantId: string, hour: string) => Promise<LedgerRow[]>;
  rollups: Pick<RollupStore, "put">;
  /** The last hour whose rollups are complete. */
  progress: { get(): Promise<string | undefined>; advance(from: string | undefined, to: string): Promise<void> };
  log: Log;
  clock: () => number;
};

const hourMs = 3_600_000;
/** An hour is over when everything admitted in it is settled or reclaimed: 16 minutes, and two runs of the meter. */
const closingMs = 45 * 60_000;
/** Without progress so far, the first run begins here. */
const firstHoursBack = 24;
/** Callers at a time: tens of thousands are through in a run. */
const concurrency = 16;
/** An outage is caught up in several runs. */
const maxHoursPerRun = 200;

/** A tenant's hour that got a new ledger row after it was over. */
type Touched = { tenantId: string; hour: string };
/** A step for all callers: one that fails for some is done for the others. */
type StepResult = { touched: Touched[]; error: unknown };

export class Meter {
  readonly #deps: MeteringDependencies;

  constructor(deps: MeteringDependencies) {
    this.#deps = deps;
  }

  /** @throws what went wrong for one caller, once everything is done for all others. */
  async run(): Promise<void> {
    const done = await this.#deps.progress.get();
    const since = done === undefined ? this.#deps.clock() - firstHoursBack * hourMs : startOf(done);
    const replayed = await this.#replay(since);
    const reclaimed = await this.#reclaim(since, replayed.failed);
    // Before the progress: what is behind it would not be looked at again after a crash.
    for (const { tenantId, hour } of [...replayed.touched, ...reclaimed.touched]) {
      if (done !== undefined && hour <= done) await this.#rollUpTenant(tenantId, hour);
    }
    // The log is not read again from before the progress.
    if (replayed.error) throw replayed.error;
    await this.#rollUp(done);
    if (reclaimed.error) throw reclaimed.error;
  }

  /**
   * First of all: a reclaim after it finds the true cost in the ledger and settles no reserved cost. The log is read from the
   * last hour done on, however long ago that is: what was written before it, an earlier run has read.
   */
  async #replay(since: number): Promise<StepResult & { failed: Set<string> }> {
    const touched: Touched[] = [];
    const failed = new Set<string>();
    let error: unknown;
    await pMap(
      this.#deps.unsettled(since),
      async ({ key, reservation, outcome }) => {
        const settled = { key, reservation };
        try {
          await (outcome ? this.#deps.settlements.settle(settled, outcome) : this.#deps.settlements.release(settled));
          touched.push({ tenantId: key.tenantId, hour: hourOf(reservation.admittedAt) });
        } catch (problem) {
          failed.add(reservation.requestId);
          error = this.#noted("usage in the log could not be settled", key, problem);
        }
      },
      { concurrency },
    );
    return { touched, failed, error };
  }

  /** @param spared their true cost is in the log. */
  async #reclaim(since: number, spared: ReadonlySet<string>): Promise<StepResult> {
    const touched: Touched[] = [];
    let error: unknown;
    for (const month of monthsBetween(since - hourMs, this.#deps.clock())) {
      await pMap(
        this.#deps.activeCallers(month),
        async (key) => {
          try {
            for (const reservation of await this.#expiredOf(key)) {
              if (spared.has(reservation.requestId)) continue;
              await this.#deps.settlements.reclaim(key, reservation);
              touched.push({ tenantId: key.tenantId, hour: hourOf(reservation.admittedAt) });
              this.#deps.log.info("reservation reclaimed", {
                request_id: reservation.requestId,
                tenant_id: key.tenantId,
              });
            }
          } catch (problem) {
            error = this.#noted("a caller's reservations could not be reclaimed", key, problem);
          }
        },
        { concurrency },
      );
    }
    return { touched, error };
  }

  async #expiredOf(key: SpendingKey): Promise<Reservation[]> {
    const { reservations } = await this.#deps.spendingOf(key);
    return reservations.filter(({ expiresAt }) => expiresAt <= this.#deps.clock());
  }

  #noted(message: string, { tenantId, callerId }: SpendingKey, problem: unknown): unknown {
    this.#deps.log.problem(message, { tenant_id: tenantId, caller_id: callerId }, problem);
    return problem;
  }

  /** Hour by hour up to the latest that is over. */
  async #rollUp(from: string | undefined): Promise<void> {
    let done = from;
    for (const hour of hoursToDo(done, this.#deps.clock())) {
      for (const tenantId of await this.#tenantsOf(hour)) await this.#rollUpTenant(tenantId, hour);
      await this.#deps.progress.advance(done, hour);
      done = hour;
    }
  }

  async #tenantsOf(hour: string): Promise<Set<string>> {
    const tenants = new Set<string>();
    for await (const { tenantId } of this.#deps.activeCallers(hour.slice(0, 7))) tenants.add(tenantId);
    return tenants;
  }

  async #rollUpTenant(tenantId: string, hour: string): Promise<void> {
    await this.#deps.rollups.put(rollupsOf(tenantId, hour, await this.#deps.ledgerHour(tenantId, hour)));
  }
}

/** Those in which a reservation can still stand: it lives for minutes, and an earlier run found what was there before. */
function monthsBetween(from: number, to: number): string[] {
  const months = [monthOf(from)];
  for (let next = nextMonth(from); next <= to; next = nextMonth(next)) months.push(monthOf(next));
  return months;
}

function hoursToDo(done: string | undefined, now: number): string[] {
  const last = startOf(hourOf(now - closingMs)) - hourMs;
  const first = done === undefined ? last - (firstHoursBack - 1) * hourMs : startOf(done) + hourMs;
  const count = Math.min(maxHoursPerRun, Math.max(0, (last - first) / hourMs + 1));
  return Array.from({ length: count }, (_, index) => hourOf(first + index * hourMs));
}

function startOf(hour: string): number {
  return Date.parse(`${hour}:00:00Z`);
}
