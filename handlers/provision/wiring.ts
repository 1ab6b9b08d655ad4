// The dependencies of provisioning on AWS.
import { cognitoAccounts } from "../../adapters/cognito-accounts.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import type { Env } from "../contract.ts";
import type { provision } from "./contract.ts";
import type { ProvisionDependencies } from "./dependencies.ts";

export function provisionDependencies(env: Env<typeof provision>): ProvisionDependencies {
  return {
    accounts: cognitoAccounts(env.USER_POOL_ID),
    log: powertoolsLog("provision"),
  };
}
