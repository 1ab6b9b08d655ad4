// Closing an hour: its rollups are computed from the ledger, and what is reported of it is frozen. Every step may be repeated,
// by this job or by another at the same time.
import { hourMs, startOfHour } from "../kernel/period.ts";
import type { LedgerStore } from "../ledger/ledger.ts";
import { RollupGroups, type RollupStore } from "../ledger/rollup.ts";
import { CreditDraw, type CreditReader, type PaidByCredit } from "./credit-draw.ts";
import type { Carry, LateCorrections, ReportStore } from "./report.ts";

export type ClosingDependencies = {
  ledger: Pick<LedgerStore, "hour">;
  credits: CreditReader;
  rollups: Pick<RollupStore, "put">;
  reports: ReportStore;
  lateCorrections: Pick<LateCorrections, "get" | "rolledUp">;
  clock: () => number;
};

/** So long an hour waits for the truth of calls whose function died. What comes later is carried to a later report. */
export const patienceMs = 24 * hourMs;

/** Another job can take a carry or the credit first. */
const maxTries = 5;

/** What an hour's rows add up to. */
type Sums = {
  groups: RollupGroups;
  rows: number;
  reportable: number;
  paidByCredit: PaidByCredit | undefined;
  isProvisional: boolean;
};

export class Closing {
  readonly #deps: ClosingDependencies;

  constructor(deps: ClosingDependencies) {
    this.#deps = deps;
  }

  /**
   * Of an hour in which no call is in flight any more: nothing but the truth of provisional rows can change its ledger.
   * @returns whether it is closed; if not, it has provisional rows and is to be looked at again.
   */
  async close(tenantId: string, hour: string): Promise<boolean> {
    const { reports, clock } = this.#deps;
    const sums = await this.#rollUp(tenantId, hour);
    if (sums.rows === 0) return true;
    if (!sums.isProvisional) {
      await this.#freeze(tenantId, hour, sums);
      return true;
    }
    if (clock() < startOfHour(hour) + hourMs + patienceMs) return false;
    // First the outbox, then the rows once more: each correction is now either in them already or carried.
    await reports.open(tenantId, hour);
    await this.#freeze(tenantId, hour, await this.#rollUp(tenantId, hour));
    return true;
  }

  /** The hour of a correction that came after its report. */
  async rollUpAgain(corrected: Pick<Carry, "tenant_id" | "id">): Promise<void> {
    const carry = await this.#deps.lateCorrections.get(corrected);
    if (!carry) return;
    await this.#rollUp(carry.tenant_id, carry.hour);
    await this.#deps.lateCorrections.rolledUp(carry);
  }

  async #rollUp(tenantId: string, hour: string): Promise<Sums> {
    const readAt = this.#deps.clock();
    const sums = await this.#sums(tenantId, hour);
    await this.#deps.rollups.put(sums.groups.rollups(tenantId, hour), readAt);
    return sums;
  }

  /** Reads the hour page by page, and keeps its groups only. */
  async #sums(tenantId: string, hour: string): Promise<Sums> {
    // Read with the first row: most hours that are looked at have none.
    let draw: CreditDraw | undefined;
    const sums = { groups: new RollupGroups(), rows: 0, reportable: 0, isProvisional: false };
    for await (const page of this.#deps.ledger.hour(tenantId, hour)) {
      draw ??= new CreditDraw(await this.#deps.credits.get(tenantId));
      for (const row of page) {
        sums.groups.add(row);
        sums.rows += 1;
        sums.reportable += draw.add(row);
        sums.isProvisional ||= row.provisional === true;
      }
    }
    return { ...sums, paidByCredit: draw?.paid };
  }

  async #freeze(tenantId: string, hour: string, first: Sums): Promise<void> {
    const { reports } = this.#deps;
    let sums = first;
    for (let tries = 1; tries <= maxTries; tries++) {
      const taken = await reports.carries(tenantId);
      const sum = taken.reduce((total, { difference }) => total + difference, sums.reportable);
      const { paidByCredit } = sums;
      const report = { tenantId, hour, value: Math.max(0, sum), taken, rest: Math.min(0, sum), paidByCredit };
      if (await reports.freeze(report)) return;
      if ((await reports.get(tenantId, hour))?.value !== undefined) return;
      if (paidByCredit) sums = await this.#sums(tenantId, hour);
    }
    throw new Error("the hour's report could not be frozen: others take its carries or the credit");
  }
}
