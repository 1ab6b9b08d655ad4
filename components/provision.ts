// Provisioning: the one function that administers accounts and keys. Other functions invoke it, and nobody else can.
import * as pulumi from "@pulumi/pulumi";
import { provision } from "../handlers/provision/contract.ts";
import type { Identity } from "./identity.ts";
import { LambdaFunction } from "./lambda-function.ts";
import { accountsLink } from "./link.ts";

type ProvisionArgs = { identity: Identity };

export class Provision extends pulumi.ComponentResource {
  readonly provision: LambdaFunction<typeof provision>;

  constructor(name: string, args: ProvisionArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Provision", name, {}, opts);
    this.provision = this.createProvision(name, args);
    this.registerOutputs({});
  }

  private createProvision(name: string, { identity }: ProvisionArgs): LambdaFunction<typeof provision> {
    return new LambdaFunction(
      name,
      { contract: provision, environment: { USER_POOL_ID: accountsLink(identity.userPool) } },
      { parent: this },
    );
  }
}
