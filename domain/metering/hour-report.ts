// The report of a tenant's hour: what is to be billed of it, frozen once when the meter closes the hour and added to the tenant's
// total. The difference that a later correction makes is added to the total, too.
import type { PaidByCredit } from "./credit-draw.ts";

/** The difference that a correction makes to a frozen report. */
export type Adjustment = {
  tenant_id: string;
  /** Id of the corrected request. */
  id: string;
  /** Hour of the corrected row, whose rollup is computed again. */
  hour: string;
  /** Nano-USD: the true cost less what was reported. */
  difference: number;
};

export type FrozenHourReport = {
  tenantId: string;
  hour: string;
  /** The amount to be billed, in nano-USD: without the part that free credit paid. */
  value: number;
  /** The part that free credit pays. It is drawn in the write that freezes the report. */
  paidByCredit?: PaidByCredit | undefined;
  /** What callers drew of the owner's allowance for calls of the hour, and no invoice will have. The write that freezes the report gives it back. */
  givenBack?: { ownerSub: string; amount: number } | undefined;
};

export interface HourReportStore {
  /** Begins the report. From now on a correction of the hour's rows becomes an adjustment. */
  open(tenantId: string, hour: string): Promise<void>;
  /**
   * Freezes the hour's value, adds it to the tenant's total and draws the credit, all of it or nothing.
   * @returns `known` for a report that is frozen already, which keeps its value; `outrun` if somebody else draws the credit
   */
  freeze(report: FrozenHourReport): Promise<"frozen" | "known" | "outrun">;
  /** How many tokens of the hour the draw on free credit paid, as its report says. */
  tokensDrawn(tenantId: string, hour: string): Promise<number>;
}

/** Adjustments that are not in the tenant's total yet. */
export interface LateCorrections {
  of(shard: number): AsyncIterable<Pick<Adjustment, "tenant_id" | "id">>;
  get(adjustment: Pick<Adjustment, "tenant_id" | "id">): Promise<Adjustment | undefined>;
  /** Adds the difference to the tenant's total and ends the adjustment, both or neither. May be repeated. */
  add(adjustment: Adjustment): Promise<void>;
}
