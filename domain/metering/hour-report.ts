// The report of a tenant's hour: what is to be billed of it, frozen once when the meter closes the hour. A correction that comes
// after that becomes an adjustment, which a later report of the tenant takes.
import type { PaidByCredit } from "./credit-draw.ts";

/**
 * `unsent`: the meter has frozen the report, and no event is made of it yet. `sending`: its event is frozen, and nobody knows whether
 * the payment provider took it. `taken`: the provider took the event and has not shown yet that it counts. The final states are
 * `counted`; `carried`, which came too late for its own invoice and was added to the tenant's balance; and `lost`, which is never billed.
 */
export type ReportState = "unsent" | "sending" | "taken" | "counted" | "carried" | "lost";

export type HourReport = {
  tenant_id: string;
  /** `2026-11-21T05` */
  hour: string;
  /** `open`: the hour is being summed up, and a correction comes too late for it already. */
  state: "open" | ReportState;
  /**
   * Integer nano-USD without what free credit paid. It never changes once it is set. Only the report of an hour without rows is below
   * zero: it takes back what earlier hours billed too much.
   */
  value?: number | undefined;
};

/** A difference that the tenant's next report adds to its own value. */
export type Adjustment = {
  tenant_id: string;
  /** Id of the corrected request, or the hour of a report that would have been below zero. */
  id: string;
  /** Hour of the corrected row, whose rollup is computed again. */
  hour: string;
  /** Nano-USD: the true cost less what was reported. */
  difference: number;
};

export type FrozenHourReport = {
  tenantId: string;
  hour: string;
  /** Nano-USD. */
  value: number;
  /** The adjustments that the value contains. They are deleted with the freeze. */
  adjustments: Adjustment[];
  /** The part of the sum below zero, 0 or less. It becomes an adjustment of its own. */
  rest: number;
  /** Drawn from the credit with the freeze. */
  paidByCredit?: PaidByCredit | undefined;
};

export interface HourReportStore {
  get(tenantId: string, hour: string): Promise<HourReport | undefined>;
  /** Begins the report. From now on a correction of the hour's rows becomes an adjustment. */
  open(tenantId: string, hour: string): Promise<void>;
  /** The tenant's adjustments that wait for a report, at most as many as one report can take. */
  adjustments(tenantId: string): Promise<Adjustment[]>;
  /**
   * Freezes the hour's value, deletes its adjustments and draws the credit, all of it or nothing.
   * @returns false if the report is frozen already, an adjustment is gone, or somebody else draws the credit
   */
  freeze(report: FrozenHourReport): Promise<boolean>;
}

/** Adjustments whose hour still has its old rollup. A report takes an adjustment only once the rollup is computed again. */
export interface LateCorrections {
  of(shard: number): AsyncIterable<Pick<Adjustment, "tenant_id" | "id">>;
  get(adjustment: Pick<Adjustment, "tenant_id" | "id">): Promise<Adjustment | undefined>;
  rolledUp(adjustment: Adjustment): Promise<void>;
}
