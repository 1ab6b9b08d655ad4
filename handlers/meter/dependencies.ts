// What the meter works with; wiring.ts brings the real ones.
import type { Log, LogLines } from "../../domain/log.ts";
import type { LedgerStore } from "../../domain/spending/ledger.ts";
import type { MeteringDependencies } from "../../domain/spending/metering.ts";
import type { RollupStore } from "../../domain/spending/rollup.ts";
import type { SpendingStore } from "../../domain/spending/spending.ts";

export type MeterDependencies = Pick<MeteringDependencies, "activeCallers" | "spendingOf" | "progress"> & {
  /** Where the proxy writes what it could not settle. */
  proxyLog: LogLines;
  spending: Pick<SpendingStore, "settle">;
  ledger: LedgerStore;
  rollups: Pick<RollupStore, "put">;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};
