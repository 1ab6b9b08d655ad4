// The accounts: the one function that administers the user pool's people. It reads the table, and writes nothing there.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { accounts } from "../../handlers/accounts/contract.ts";
import type { StackConfig } from "../config.ts";
import type { Identity } from "../identity/identity.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { accountsLink, tableLink } from "../link.ts";

type AccountsArgs = { config: StackConfig; table: aws.dynamodb.Table; identity: Identity };

export class Accounts extends pulumi.ComponentResource {
  readonly function: LambdaFunction<typeof accounts>;

  constructor(name: string, args: AccountsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Accounts", name, {}, opts);
    const { config, table, identity } = args;
    this.function = new LambdaFunction(
      name,
      {
        contract: accounts,
        environment: {
          TABLE_NAME: tableLink(table, { get: ["tenant", "ownedTenants"], query: ["user"] }),
          USER_POOL_ID: accountsLink(identity.userPool),
          // Accounts of the platform's own people are never removed, whichever workspace is purged.
          PLATFORM_ADMINS: JSON.stringify([...config.platformAdmins, ...config.platformSupport]),
        },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
