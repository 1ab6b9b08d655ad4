// What settling from the queue works with; wiring.ts brings the real ones.
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { Log } from "../../domain/log.ts";
import type { SettlementDependencies } from "../../domain/spending/settlement.ts";
import type { UnsettledQueue } from "../../domain/spending/unsettled.ts";

export type SettleDependencies = Pick<SettlementDependencies, "ledger" | "spending" | "transactions"> & {
  catalog: Catalog;
  deadLetters: UnsettledQueue;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};
