// The code that a schedule plays: the product as it is, or a mutant of it.
import type { ReclaimDependencies } from "../../domain/budget/reclaim.ts";
import type { SettlementDependencies } from "../../domain/budget/settlement.ts";
import type { SpendingStore } from "../../domain/budget/spending.ts";

export type Stores = Pick<SettlementDependencies & ReclaimDependencies, "ledger" | "transactions"> & {
  spending: SpendingStore;
};

export type Mutant = {
  name: string;
  /** Changes each command on its way to the table. */
  rewrite?: (command: object) => object;
  stores?: (stores: Stores) => Partial<Stores>;
  /** How often an admission is sent, instead of once. */
  sendsAdmissions?: number;
  /** Timers never fire. */
  neverRenews?: true;
};

export const theProduct: Mutant = { name: "the product" };
