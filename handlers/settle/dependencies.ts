// What settling from the queue works with; wiring.ts brings the real ones.

import type { SettlementDependencies } from "../../domain/budget/settlement.ts";
import type { UnsettledQueue } from "../../domain/budget/unsettled.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Log } from "../../domain/kernel/log.ts";

export type SettleDependencies = Pick<SettlementDependencies, "ledger" | "spending" | "transactions"> & {
  catalog: Catalog;
  deadLetters: UnsettledQueue;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};
