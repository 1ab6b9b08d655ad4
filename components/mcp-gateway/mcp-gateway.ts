// The MCP gateways: what AgentCore needs to serve them, and the one function that makes and changes them.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { callbackOf } from "../../domain/connectors/sign-in.ts";
import { agentcore } from "../../handlers/agentcore/contract.ts";
import { probe } from "../../handlers/probe/contract.ts";
import type { StackConfig } from "../config.ts";
import type { Identity } from "../identity/identity.ts";
import { providerNames } from "../identity/identity-providers.ts";
import { LambdaFunction, lambdaRole } from "../lambda-function.ts";
import { invokeLink, Link, policyDocument, tableLink } from "../link.ts";
import type { Queue } from "../queue.ts";
import { scheduledJobs } from "../scheduled-jobs.ts";
import {
  appClientsLink,
  callRuntimes,
  gatewayRights,
  gatewaysLink,
  passedRoleLink,
  readSecrets,
  tenantSecretsLink,
} from "./agentcore-rights.ts";
import { ConnectorOrigin, connectorUrl } from "./connector-origin.ts";
import { quotaAlarms } from "./quota-alarms.ts";
import { relayKey } from "./relay-key.ts";
import { RuntimePrograms } from "./runtime-programs.ts";
import { SpecBucket } from "./spec-bucket.ts";
import { ToolCalls } from "./tool-calls.ts";

type Place = Parameters<typeof gatewaysLink>[0];
type McpGatewayArgs = { config: StackConfig; table: aws.dynamodb.Table; identity: Identity };

export class McpGateway extends pulumi.ComponentResource {
  /** The role in whose name gateways call their targets. */
  readonly gatewayRole: aws.iam.Role;
  /** The role of the tenants' runtimes. Their code can read its credentials, so it may do nothing. */
  readonly runtimeRole: aws.iam.Role;
  /** The role of the function `probe`, which tries an integration with the tenant's credential. */
  readonly probeRole: aws.iam.Role;
  /** The function that alone asks the addresses that users give. */
  readonly probe: LambdaFunction<typeof probe>;
  readonly specs: SpecBucket;
  /** The programs that run in the tenants' runtimes. */
  readonly programs: RuntimePrograms;
  readonly toolCalls: ToolCalls;
  readonly role: aws.iam.Role;
  readonly function: LambdaFunction<typeof agentcore>;
  readonly jobs: Queue;
  /** The one origin that MCP clients talk to. */
  readonly url: string;

  constructor(name: string, args: McpGatewayArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:McpGateway", name, {}, opts);
    const { accountId: account } = aws.getCallerIdentityOutput({}, { parent: this });
    const { region } = aws.getRegionOutput({}, { parent: this });
    const place = { stack: pulumi.getStack(), account, region };
    this.specs = new SpecBucket("mcp-specs", { parent: this });
    this.programs = new RuntimePrograms("mcp-programs", { parent: this });
    this.toolCalls = new ToolCalls("interceptor", args, { parent: this });
    this.gatewayRole = this.agentCoreRole(`${name}-gateway`, account);
    const policy = policyDocument([...gatewayRights(place), this.toolCalls.calling]);
    new aws.iam.RolePolicy(`${name}-gateway`, { role: this.gatewayRole.name, policy }, { parent: this });
    this.runtimeRole = this.agentCoreRole(`${name}-runtime`, account);
    this.probeRole = lambdaRole("probe", { parent: this });
    this.probe = this.createProbe(args, place);
    this.role = lambdaRole("agentcore", { parent: this });
    const { jobs, function: fn } = this.createFunction(args, place);
    this.jobs = jobs;
    quotaAlarms({ parent: this });
    this.function = fn;
    this.url = connectorUrl(args.config);
    new ConnectorOrigin("mcp", { ...args, probe: invokeLink(this.probe.arn) }, { parent: this });
    this.registerOutputs({});
  }

  /** The right to ask the function that changes things at AgentCore. */
  get link(): Link {
    return invokeLink(this.function.arn);
  }

  /**
   * The function `probe` calls addresses that users name, so it may write nothing: neither to the table, nor to the bucket, nor at
   * AgentCore.
   */
  private createProbe({ table }: McpGatewayArgs, place: Place): LambdaFunction<typeof probe> {
    const environment = {
      TABLE_NAME: tableLink(table, { get: ["mcpServer"] }),
      STACK_NAME: new Link(place.stack, [readSecrets(place), callRuntimes(place)]),
      SPECS_BUCKET: this.specs.reading,
    };
    return new LambdaFunction("probe", { contract: probe, role: this.probeRole, environment }, { parent: this });
  }

  private createFunction({ config, table, identity }: McpGatewayArgs, place: Place) {
    return scheduledJobs(
      "agentcore",
      {
        contract: agentcore,
        role: this.role,
        everyMinutes: 60,
        jobsAtOnce: 2,
        environment: (jobsUrl) => ({
          TABLE_NAME: tableLink(table, {
            get: ["tenant", "mcpGateway", "mcpServer"],
            query: ["mcpServer"],
            put: ["mcpGateway", "mcpServer", "connectorClient", "audit"],
            update: ["mcpGateway", "mcpServer"],
            delete: ["mcpGateway", "mcpServer", "connectorClient"],
            activeIndex: ["mcpGateway", "mcpServer"],
          }),
          STACK_NAME: gatewaysLink(place),
          JOBS_QUEUE_URL: jobsUrl,
          USER_POOL_ID: appClientsLink(identity.userPool),
          USER_POOL_ENDPOINT: identity.userPool.endpoint,
          SCOPE_PREFIX: config.names.scopePrefix,
          IDENTITY_PROVIDERS: JSON.stringify(providerNames(config)),
          CONNECTOR_CALLBACK_URL: callbackOf(connectorUrl(config)),
          GATEWAY_ROLE_ARN: passedRoleLink(this.gatewayRole.arn),
          RUNTIME_ROLE_ARN: passedRoleLink(this.runtimeRole.arn),
          RUNTIME_PROGRAMS: this.programs.running,
          INTERCEPTOR_ARN: this.toolCalls.function.arn,
          SECRETS_PREFIX: tenantSecretsLink(place),
          SPECS_BUCKET: this.specs.keeping,
          ACCOUNT_QUOTAS: JSON.stringify(config.mcpQuotas),
          RELAY_KEY: pulumi.secret(relayKey(config)),
        }),
      },
      { parent: this },
    );
  }

  /** The role that AgentCore assumes, for this account's gateways and runtimes alone. */
  private agentCoreRole(name: string, account: pulumi.Input<string>): aws.iam.Role {
    const assumeRolePolicy = pulumi.jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: "bedrock-agentcore.amazonaws.com" },
          Action: "sts:AssumeRole",
          Condition: { StringEquals: { "aws:SourceAccount": account } },
        },
      ],
    });
    return new aws.iam.Role(name, { assumeRolePolicy }, { parent: this });
  }
}
