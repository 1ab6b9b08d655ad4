// What provisioning works with; wiring.ts brings the real ones.
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import type { RemovalDependencies } from "../../domain/provisioning/removal.ts";
import type { SweepDependencies } from "../../domain/provisioning/sweep.ts";
import type { Accounts } from "../../domain/workspace/accounts.ts";

export type ProvisionDependencies = SweepDependencies &
  RemovalDependencies & {
    accounts: Accounts;
    /** None where the platform bills nobody. */
    ownerPayments?: OwnerPayments | undefined;
  };
