// What is reported of a tenant's hour, to be billed: an outbox row per hour, frozen once, and carries: what corrections change
// in hours that are reported already.
import type { PaidByCredit } from "./credit-draw.ts";

/**
 * `unsent`: frozen by the meter, and no event is made of it. `sending`: the event is frozen, and nobody knows whether it was
 * taken. `taken`: the provider has it, and has not shown yet that it counts. The others are the end of it: `counted`; `carried`
 * to the next event, as it came too late for its own invoice; `lost`, which was never billed.
 */
export type ReportState = "unsent" | "sending" | "taken" | "counted" | "carried" | "lost";

/** A tenant's hour in the outbox. */
export type Report = {
  tenant_id: string;
  /** `2026-11-21T05` */
  hour: string;
  /** `open`: being summed up, and a correction is already too late for it. The other states are those of `ReportState`. */
  state: "open" | ReportState;
  /**
   * Integer nano-USD, without what free credit has paid; below zero only of an hour without rows, which takes back what was billed
   * too much. Never changes once it is there.
   */
  value?: number | undefined;
};

/** What goes to the tenant's next report. */
export type Carry = {
  tenant_id: string;
  /** The corrected request's, or the hour of a report that could not go below zero. */
  id: string;
  /** That of the corrected row: its rollup is computed again. */
  hour: string;
  /** Nano-USD: the truth less what was reported. */
  difference: number;
};

export type FrozenReport = {
  tenantId: string;
  hour: string;
  /** Nano-USD. */
  value: number;
  /** The carries in it. */
  taken: Carry[];
  /** What would be below zero, carried on. 0 or less. */
  rest: number;
  /** Drawn with it. */
  paidByCredit?: PaidByCredit | undefined;
};

export interface ReportStore {
  get(tenantId: string, hour: string): Promise<Report | undefined>;
  /** From here on corrections of the hour's rows are carried. */
  open(tenantId: string, hour: string): Promise<void>;
  /** The tenant's carries that wait for a report, at most as many as one report can take. */
  carries(tenantId: string): Promise<Carry[]>;
  /**
   * Freezes the hour's value, takes its carries and draws the credit, all of it or nothing.
   * @returns false if it is frozen already, a carry is gone, or the credit is drawn by somebody else.
   */
  freeze(report: FrozenReport): Promise<boolean>;
}

/** Carries whose hour's rollup is not computed again yet. Reports take them only after that. */
export interface LateCorrections {
  of(shard: number): AsyncIterable<Pick<Carry, "tenant_id" | "id">>;
  get(carry: Pick<Carry, "tenant_id" | "id">): Promise<Carry | undefined>;
  rolledUp(carry: Carry): Promise<void>;
}
