// AWS runs this as the function `accounts`, with the table and the user pool.
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { userStore } from "../../adapters/dynamodb/people/users.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { ownedTenants } from "../../adapters/dynamodb/workspace/owned-tenants.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { cognitoAccounts } from "../../adapters/user-pool/accounts.ts";
import { readEnv } from "../contract.ts";
import { accounts } from "./contract.ts";
import { accountsHandler } from "./handler.ts";

const env = readEnv(accounts);
const rows = rowsOf(documentClient(), env.TABLE_NAME);

export const handler = accountsHandler({
  accounts: cognitoAccounts(env.USER_POOL_ID),
  tenants: tenantStore(rows),
  users: userStore(rows),
  ownedTenants: ownedTenants(rows),
  platformAdmins: env.PLATFORM_ADMINS,
  log: powertoolsLog("accounts"),
});
