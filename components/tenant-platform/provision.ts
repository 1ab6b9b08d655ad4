// Provisioning: the one function that administers keys and accounts. Other functions invoke it, its queue has it complete what
// takes longer, and its schedule sweeps.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { provision } from "../../handlers/provision/contract.ts";
import type { StackConfig } from "../config.ts";
import type { Identity } from "../identity/identity.ts";
import { LambdaFunction, lambdaRole } from "../lambda-function.ts";
import { accountsLink, sendLink, tableLink } from "../link.ts";
import { Queue } from "../queue.ts";
import { Schedule } from "../schedule.ts";
import { keyPolicy, tenantKeysLink } from "./key-rights.ts";
import { paymentEnvironment } from "./payments.ts";
import { unbilledAlarm } from "./unbilled-alarm.ts";

type ProvisionArgs = { config: StackConfig; table: aws.dynamodb.Table; identity: Identity };

const schedule = "rate(1 hour)";
/** Tenants at once: KMS makes 5 keys a second at the most (docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html). */
const jobsAtOnce = 2;

const lostUsage =
  "At a deleted workspace's end usage was not counted, or its owner had paid too much: the metric's log line says whose";

export class Provision extends pulumi.ComponentResource {
  readonly provision: LambdaFunction<typeof provision>;
  readonly jobs: Queue;

  constructor(name: string, args: ProvisionArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Provision", name, {}, opts);
    this.jobs = new Queue(
      `${name}-jobs`,
      { consumer: provision, batchSize: 1, maxConcurrency: jobsAtOnce },
      { parent: this },
    );
    this.provision = this.createProvision(name, args);
    new Schedule(name, { function: this.provision.function, expression: schedule }, { parent: this });
    if (args.config.stripe) unbilledAlarm(name, { service: "provision", description: lostUsage }, { parent: this });
    this.registerOutputs({});
  }

  private createProvision(name: string, { config, table, identity }: ProvisionArgs): LambdaFunction<typeof provision> {
    const account = aws.getCallerIdentityOutput({}, { parent: this }).accountId;
    const stack = pulumi.getStack();
    // The policy of its keys names it.
    const role = lambdaRole(name, { parent: this });
    return new LambdaFunction(
      name,
      {
        contract: provision,
        consumes: this.jobs,
        role,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "manifest", "customer", "ownedTenants", "meterProgress"],
            batchGet: ["tenant", "spending"],
            query: ["user", "report", "carry", "remainder"],
            put: ["credit", "user", "manifest", "directory", "audit"],
            update: ["tenant", "manifest", "directory", "ownedTenants", "user", "customer"],
            delete: ["grant", "customer"],
            condition: ["tenant", "customer", "ownedTenants"],
            activeIndex: ["unchecked", "activeCaller"],
          }),
          USER_POOL_ID: accountsLink(identity.userPool),
          JOBS_QUEUE_URL: sendLink(this.jobs.queue),
          STACK_NAME: tenantKeysLink(stack, account),
          KEY_POLICY: keyPolicy({ account, roles: [role.arn], provisioner: role.arn }),
          PLATFORM_ADMINS: JSON.stringify(config.platformAdmins),
          ...paymentEnvironment(config),
        },
      },
      { parent: this },
    );
  }
}
