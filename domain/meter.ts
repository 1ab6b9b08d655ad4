// What keeps the books right behind the proxy: usage that could not be booked, reservations whose caller stays away, and
// rollups of the hours that are over. Every step may be repeated.
import type { SpendingKey } from "./admission.ts";
import type { Spending } from "./budget.ts";
import type { LedgerRow } from "./ledger.ts";
import type { Log } from "./log.ts";
import { hourOf, monthOf } from "./period.ts";
import { type RollupStore, rollupsOf } from "./rollup.ts";
import type { Settlements } from "./settlement.ts";
import type { Unbooked } from "./unbooked.ts";

export type MeterDependencies = {
  /** What the proxy could not book since then. */
  unbooked: (since: number) => AsyncIterable<Unbooked>;
  /** Everyone who has a spending item in the month. */
  spenders: (month: string) => AsyncIterable<SpendingKey>;
  spendingOf: (key: SpendingKey) => Promise<Spending>;
  settlements: Pick<Settlements, "book" | "reclaim">;
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
/** Lines of the log are looked for this long; a replayed one changes nothing. */
const replayMs = 24 * hourMs;
/** Without progress so far, the first run begins here. */
const firstHoursBack = 24;
/** An outage is caught up in several runs. */
const maxHoursPerRun = 200;

/** A tenant's hour that got a new ledger row after it was over. */
type Touched = { tenantId: string; hour: string };

export class Meter {
  readonly #is: MeterDependencies;

  constructor(dependencies: MeterDependencies) {
    this.#is = dependencies;
  }

  async run(): Promise<void> {
    const touched = [...(await this.#replay()), ...(await this.#reclaim())];
    const rolledUpTo = await this.#rollUp();
    for (const { tenantId, hour } of touched) {
      if (rolledUpTo !== undefined && hour <= rolledUpTo) await this.#rollUpTenant(tenantId, hour);
    }
  }

  /** First of all: a reclaim after it finds the true cost in the ledger and books no estimate. */
  async #replay(): Promise<Touched[]> {
    const touched: Touched[] = [];
    for await (const { key, reservation, outcome } of this.#is.unbooked(this.#is.clock() - replayMs)) {
      await this.#is.settlements.book({ key, reservation }, outcome);
      touched.push({ tenantId: key.tenantId, hour: hourOf(reservation.admittedAt) });
    }
    return touched;
  }

  async #reclaim(): Promise<Touched[]> {
    const now = this.#is.clock();
    const touched: Touched[] = [];
    for (const month of recentMonths(now)) {
      for await (const key of this.#is.spenders(month)) {
        const { reservations } = await this.#is.spendingOf(key);
        for (const reservation of reservations.filter(({ expiresAt }) => expiresAt <= now)) {
          await this.#is.settlements.reclaim(key, reservation);
          touched.push({ tenantId: key.tenantId, hour: hourOf(reservation.admittedAt) });
          this.#is.log.info("reservation reclaimed", { request_id: reservation.requestId, tenant_id: key.tenantId });
        }
      }
    }
    return touched;
  }

  /** Hour by hour up to the latest that is over. */
  async #rollUp(): Promise<string | undefined> {
    let done = await this.#is.progress.get();
    for (const hour of hoursToDo(done, this.#is.clock())) {
      for (const tenantId of await this.#tenantsOf(hour)) await this.#rollUpTenant(tenantId, hour);
      await this.#is.progress.advance(done, hour);
      done = hour;
    }
    return done;
  }

  async #tenantsOf(hour: string): Promise<Set<string>> {
    const tenants = new Set<string>();
    for await (const { tenantId } of this.#is.spenders(hour.slice(0, 7))) tenants.add(tenantId);
    return tenants;
  }

  async #rollUpTenant(tenantId: string, hour: string): Promise<void> {
    await this.#is.rollups.put(rollupsOf(tenantId, hour, await this.#is.ledgerHour(tenantId, hour)));
  }
}

/** A reservation lives for minutes, so it lies in this month or, at the month's beginning, in the one before. */
function recentMonths(now: number): string[] {
  return [...new Set([monthOf(now - 24 * hourMs), monthOf(now)])];
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
