// What provisioning works with; wiring.ts brings the real ones.
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import type { Accounts } from "../../domain/tenancy/accounts.ts";
import type { RemovalDependencies } from "../../domain/tenancy/removal.ts";
import type { SweepDependencies } from "../../domain/tenancy/sweep.ts";

export type ProvisionDependencies = SweepDependencies &
  RemovalDependencies & {
    accounts: Accounts;
    /** None where the platform bills nobody. */
    ownerPayments?: OwnerPayments | undefined;
  };
