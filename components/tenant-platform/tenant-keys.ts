// The tenants' keys: the one function that administers keys. Others invoke it, and its schedule removes keys without a tenant.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { tenantKeys } from "../../handlers/tenant-keys/contract.ts";
import { LambdaFunction, lambdaRole } from "../lambda-function.ts";
import { tableLink } from "../link.ts";
import type { McpGateway } from "../mcp-gateway/mcp-gateway.ts";
import { Schedule } from "../schedule.ts";
import type { Skills } from "../skills/skills.ts";
import { keyPolicy, tenantKeysLink } from "./key-rights.ts";

type TenantKeysArgs = { table: aws.dynamodb.Table; mcpGateway: McpGateway; skills: Skills };

/** The attributes of a tenant's row that it may name. */
const keyAttributes = ["pk", "sk", "kms_cmk_arn", "setup_pending", "status"];

export class TenantKeys extends pulumi.ComponentResource {
  readonly function: LambdaFunction<typeof tenantKeys>;

  constructor(name: string, { table, mcpGateway, skills }: TenantKeysArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:TenantKeys", name, {}, opts);
    const account = aws.getCallerIdentityOutput({}, { parent: this }).accountId;
    // The role is made before the function, because the policy of the keys that the function makes names it.
    const role = lambdaRole(name, { parent: this });
    this.function = new LambdaFunction(
      name,
      {
        contract: tenantKeys,
        role,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "manifest"],
            batchGet: ["tenant"],
            put: ["audit"],
            update: ["manifest"],
            updateOnly: { tenant: keyAttributes },
            condition: ["tenant"],
          }),
          STACK_NAME: tenantKeysLink(pulumi.getStack(), account),
          KEY_POLICY: keyPolicy({
            account,
            provisioner: role.arn,
            secretKeepers: [mcpGateway.role.arn],
            secretReaders: [mcpGateway.gatewayRole.arn, mcpGateway.probeRole.arn],
            skillRunner: skills.runnerRole.arn,
          }),
        },
      },
      { parent: this },
    );
    new Schedule(name, { function: this.function, everyMinutes: 60 }, { parent: this });
    this.registerOutputs({});
  }
}
