// What a mutant of the product does otherwise: to its commands on their way, to its stores, to its timers.
import type { ReclaimDependencies } from "../../domain/spending/reclaim.ts";
import type { SettlementDependencies } from "../../domain/spending/settlement.ts";
import type { SpendingStore } from "../../domain/spending/spending.ts";

export type Stores = Pick<SettlementDependencies & ReclaimDependencies, "ledger" | "transactions"> & {
  spending: SpendingStore;
};

export type Mutant = {
  name: string;
  /** Of each command on its way to the table. */
  rewrite?: (command: object) => object;
  stores?: (stores: Stores) => Partial<Stores>;
  /** Instead of once. */
  sendsAdmissions?: number;
  /** Timers never fire. */
  neverRenews?: true;
};
