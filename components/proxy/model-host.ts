// The role that calls models, in the account that pays for them: the platform's own, or another one.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "../config.ts";
import { note } from "../config-error.ts";
import { stackCatalog } from "../stack-catalog.ts";
import { attachmentProblems, managedPolicies } from "./managed-policies.ts";
import { modelRights } from "./model-rights.ts";
import { trust } from "./trust.ts";

type ModelHostArgs = { config: StackConfig; callerRole: aws.iam.Role };

/** The tag of each session, by which the account's bill tells tenants apart. */
const tenantTag = "tenant_id";
/** A stand-in with the length of every account number. The real one may be unknown yet, and the number of policies must not depend on it. */
const someAccount = "000000000000";

/**
 * Pulumi cannot move a resource to another account: with another provider it would update the one of the account before
 * (pulumi/pulumi-aws#6385). The account in its name makes the one anew and removes the other.
 */
export function nameIn(name: string, { modelHost }: StackConfig): string {
  return modelHost ? `${name}-${modelHost.account}` : name;
}

export class ModelHost extends pulumi.ComponentResource {
  readonly role: aws.iam.Role;

  constructor(name: string, { config, callerRole }: ModelHostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:ModelHost", name, {}, opts);
    const platformAccount = aws.getCallerIdentityOutput({}, { parent: this }).accountId;
    const placed = nameIn(name, config);
    const provider = config.modelHost && modelHostProvider(placed, config.modelHost, { parent: this });
    const within = { parent: this, ...(provider && { provider }) };
    const assumeRolePolicy = trustWithTenant(platformAccount, callerRole);
    this.role = new aws.iam.Role(placed, { assumeRolePolicy, maxSessionDuration: 3600 }, within);
    this.createPolicies(placed, config, config.modelHost?.account ?? platformAccount, within);
    this.registerOutputs({ roleArn: this.role.arn });
  }

  /**
   * Managed policies, because a large catalog is more than a role's inline policies may have. They are named by their place, so
   * one more model changes texts and no name.
   */
  private createPolicies(
    name: string,
    config: StackConfig,
    account: pulumi.Input<string>,
    within: pulumi.CustomResourceOptions,
  ): void {
    const catalog = stackCatalog(config);
    const policiesIn = (number: string) => managedPolicies(modelRights(number, catalog, config.newModels));
    const documents = policiesIn(someAccount);
    note(attachmentProblems(name, documents));
    for (const place of documents.keys()) {
      const policy = pulumi.output(account).apply((number) => policiesIn(number)[place] ?? "");
      const { arn: policyArn } = new aws.iam.Policy(`${name}-${place + 1}`, { policy }, within);
      new aws.iam.RolePolicyAttachment(`${name}-${place + 1}`, { role: this.role.name, policyArn }, within);
    }
  }
}

/** The provider that works in the account that has the models, with the platform's region and credentials to begin with. */
export function modelHostProvider(
  name: string,
  { account, deploymentRole }: NonNullable<StackConfig["modelHost"]>,
  opts: pulumi.CustomResourceOptions,
): aws.Provider {
  const { region, profile } = aws.config;
  return new aws.Provider(
    name,
    {
      assumeRoles: [{ roleArn: `arn:aws:iam::${account}:role/${deploymentRole}`, sessionName: "archway" }],
      allowedAccountIds: [account],
      ...(region && { region }),
      ...(profile && { profile }),
    },
    opts,
  );
}

/** Trusts the role that calls models for sessions that name their tenant and carry no other tag. */
function trustWithTenant(platformAccount: pulumi.Output<string>, callerRole: aws.iam.Role): pulumi.Output<string> {
  return trust(platformAccount, callerRole, {
    actions: ["sts:AssumeRole", "sts:TagSession"],
    conditions: {
      "ForAllValues:StringEquals": { "aws:TagKeys": [tenantTag] },
      // A set operator is true of no tags at all, and an empty tag names nobody.
      StringLike: { [`aws:RequestTag/${tenantTag}`]: "?*" },
    },
  });
}
