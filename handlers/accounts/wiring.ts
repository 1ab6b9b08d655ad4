// The dependencies on AWS of the accounts.
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { userStore } from "../../adapters/dynamodb/workspace/users.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { cognitoAccounts } from "../../adapters/user-pool/accounts.ts";
import type { Env } from "../contract.ts";
import type { accounts } from "./contract.ts";
import type { AccountsDependencies } from "./handler.ts";

export function accountsDependencies(env: Env<typeof accounts>): AccountsDependencies {
  const client = documentClient();
  return {
    accounts: cognitoAccounts(env.USER_POOL_ID),
    tenants: tenantStore(client, env.TABLE_NAME),
    users: userStore(client, env.TABLE_NAME),
    platformAdmins: env.PLATFORM_ADMINS,
    log: powertoolsLog("accounts"),
  };
}
