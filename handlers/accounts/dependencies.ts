// What the function of the accounts works with; wiring.ts brings the real ones.
import type { Log } from "../../domain/kernel/log.ts";
import type { AccountRemovalDependencies } from "../../domain/provisioning/account-removal.ts";
import type { AccountList, AccountRemoval, Accounts, InvitedAccounts } from "../../domain/workspace/accounts.ts";

export type AccountsDependencies = AccountRemovalDependencies & {
  accounts: Accounts & AccountList & InvitedAccounts & AccountRemoval;
  log: Log;
};
