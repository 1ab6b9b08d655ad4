// Closing an hour: the meter computes the hour's rollups from the ledger and freezes what is reported of it. Every step may be
// repeated, by this job or by another at the same time.
import type { AllowanceStore } from "../budget/allowance.ts";
import { amountBeyond, type UnexplainedStore, unexplainedMessage, unexplainedOf } from "../budget/unexplained.ts";
import type { Log } from "../kernel/log.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { optimistically } from "../kernel/optimistic.ts";
import { dayMs, hourMs, monthOf, startOfHour } from "../kernel/period.ts";
import type { LedgerStore } from "../ledger/ledger.ts";
import { RollupGroups, type RollupStore } from "../ledger/rollup.ts";
import { CreditDraw, type CreditReader, type PaidByCredit } from "./credit-draw.ts";
import type { Adjustment, HourReportStore, LateCorrections } from "./hour-report.ts";
import type { LoggedUsage } from "./logged-usage.ts";

export type ClosingDependencies = {
  ledger: Pick<LedgerStore, "hour">;
  credits: CreditReader;
  allowances: Pick<AllowanceStore, "ownerOf">;
  unexplained: Pick<UnexplainedStore, "ownerOf" | "counted" | "count">;
  rollups: Pick<RollupStore, "put">;
  reports: HourReportStore;
  lateCorrections: Pick<LateCorrections, "get" | "add">;
  /** Absent where the model host's invocations are not logged. */
  loggedUsage?: Pick<LoggedUsage, "apply"> | undefined;
  /** What an owner may use before the first payment, in nano-USD at list price; undefined where nobody is billed. */
  trialCap?: NanoUsd | undefined;
  log: Pick<Log, "problem">;
  clock: () => number;
};

/** How long an hour stays open for the true usage of calls whose function died. The truth that comes later is added to the total as a difference. */
export const patienceMs = dayMs;

/** The totals of an hour's rows. */
type Sums = {
  /** When the ledger was read, in milliseconds. */
  readAt: number;
  groups: RollupGroups;
  rows: number;
  reportable: number;
  paidByCredit: PaidByCredit | undefined;
  /** The amount that budgets paid for rows beyond what is billed of them. Once an hour is closed, few provisional rows are ever corrected. */
  unbilled: number;
  /** The part of that which nobody explains. */
  unexplained: number;
  isProvisional: boolean;
};

export class Closing {
  readonly #deps: ClosingDependencies;

  constructor(deps: ClosingDependencies) {
    this.#deps = deps;
  }

  /**
   * Closes an hour in which no call is in flight any more, so that only provisional rows can still change.
   * @returns false if the hour stays open, since it has provisional rows; the meter then looks at it again
   */
  async close(tenantId: string, hour: string): Promise<boolean> {
    const { reports, loggedUsage, clock } = this.#deps;
    let sums = await this.#sums(tenantId, hour);
    if (sums.rows === 0) return true;
    if (sums.isProvisional && (await loggedUsage?.apply(tenantId, hour))) sums = await this.#sums(tenantId, hour);
    if (!sums.isProvisional) {
      await this.#rollUp(tenantId, hour, await this.#frozen(tenantId, hour, sums));
      return true;
    }
    if (clock() < startOfHour(hour) + hourMs + patienceMs) {
      await this.#rollUp(tenantId, hour, sums);
      return false;
    }
    // A correction that comes after `open` becomes an adjustment; one that came before is in the rows, which are read again now.
    await reports.open(tenantId, hour);
    await this.#rollUp(tenantId, hour, await this.#frozen(tenantId, hour, await this.#sums(tenantId, hour)));
    return true;
  }

  /** Computes the rollups again of an hour whose row was corrected after its report, and adds the difference to the total. */
  async rollUpAgain(corrected: Pick<Adjustment, "tenant_id" | "id">): Promise<void> {
    const adjustment = await this.#deps.lateCorrections.get(corrected);
    if (!adjustment) return;
    const { tenant_id, hour } = adjustment;
    const sums = await this.#sumsOfReport(tenant_id, hour);
    await this.#rollUp(tenant_id, hour, sums);
    await this.#countUnexplained(tenant_id, hour, sums);
    await this.#deps.lateCorrections.add(adjustment);
  }

  async #rollUp(tenantId: string, hour: string, { groups, readAt }: Sums): Promise<void> {
    await this.#deps.rollups.put(groups.rollups(tenantId, hour), readAt);
  }

  /** The sums of an hour that is closed: what its draw on free credit paid is what the report says. */
  async #sumsOfReport(tenantId: string, hour: string): Promise<Sums> {
    const tokens = await this.#deps.reports.tokensDrawn(tenantId, hour);
    return this.#sums(tenantId, hour, CreditDraw.again(tokens));
  }

  /** Reads the hour page by page and keeps only its totals, since an hour may have more rows than memory holds. */
  async #sums(tenantId: string, hour: string, given?: CreditDraw): Promise<Sums> {
    // The credit is read only when a first row comes, as most hours have none.
    let draw = given;
    const readAt = this.#deps.clock();
    const counts = { rows: 0, reportable: 0, unbilled: 0, unexplained: 0 };
    const sums = { readAt, groups: new RollupGroups(), ...counts, isProvisional: false };
    for await (const page of this.#deps.ledger.hour(tenantId, hour)) {
      draw ??= new CreditDraw(await this.#deps.credits.get(tenantId));
      for (const row of page) {
        const { credit, due } = draw.add(row);
        sums.groups.add(row, credit);
        sums.rows += 1;
        sums.reportable += due;
        // A row that free credit paid at its admission, or that nobody pays, used no allowance. Of a row that was corrected since the report
        // was begun, only the caller's slices are less so far.
        if (!row.on_credit && !row.on_platform)
          sums.unbilled += row.billed === undefined ? row.cost - due : (row.given_back ?? 0);
        sums.unexplained += unexplainedOf(row);
        sums.isProvisional ||= row.provisional === true;
      }
    }
    return { ...sums, paidByCredit: draw?.paid };
  }

  /**
   * Counts what nobody explains of the hour: before its report gives it back to the owner's allowance, and when a row of it was explained
   * after all.
   */
  async #countUnexplained(tenantId: string, hour: string, { unexplained: to }: Sums): Promise<void> {
    const { unexplained: store, trialCap, log, clock } = this.#deps;
    if (trialCap === undefined) return;
    const from = await optimistically(async () => {
      const before = await store.counted(tenantId, hour);
      const owner = before === to ? undefined : await store.ownerOf(tenantId);
      if (!owner) return to;
      const isCounted = await store.count(tenantId, hour, { ownerSub: owner.owner_sub, from: before, to });
      return isCounted ? before : undefined;
    });
    const owner = to > from ? await store.ownerOf(tenantId) : undefined;
    const beyond = owner ? amountBeyond(owner, monthOf(clock()), trialCap) : 0;
    if (beyond <= 0) return;
    log.problem(unexplainedMessage, { tenant_id: tenantId, hour, nano_usd: to, beyond_nano_usd: beyond });
  }

  /** Freezes the hour. If another job draws the credit first, this one reads it again. @returns the sums as the report has them */
  async #frozen(tenantId: string, hour: string, first: Sums): Promise<Sums> {
    let sums = first;
    if (first.unexplained > 0) await this.#countUnexplained(tenantId, hour, first);
    const ownerSub = first.unbilled > 0 ? await this.#deps.allowances.ownerOf(tenantId) : undefined;
    return optimistically(async () => {
      const { reportable: value, paidByCredit, unbilled: amount } = sums;
      const givenBack = ownerSub === undefined || amount <= 0 ? undefined : { ownerSub, amount };
      const outcome = await this.#deps.reports.freeze({ tenantId, hour, value, paidByCredit, givenBack });
      if (outcome === "frozen") return sums;
      if (outcome === "known") return this.#sumsOfReport(tenantId, hour);
      sums = await this.#sums(tenantId, hour);
      return undefined;
    });
  }
}
