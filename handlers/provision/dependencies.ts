// What provisioning works with; wiring.ts brings the real ones.
import type { Log } from "../../domain/log.ts";
import type { AccountRemoval, Accounts } from "../../domain/tenancy/accounts.ts";

export type ProvisionDependencies = {
  accounts: Accounts & AccountRemoval;
  log: Log;
};
