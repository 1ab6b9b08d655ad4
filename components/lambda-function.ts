// One Lambda function made from its contract: the bundle, the log group, a role whose policy is the sum of its links, and its alarms.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { logRetention } from "../domain/kernel/log.ts";
import type { EnvInput, FunctionContract } from "../handlers/contract.ts";
import { alarmAbove } from "./alarm.ts";
import { environmentProblems, policyProblems } from "./aws-limits.ts";
import { bundle } from "./bundle.ts";
import { note } from "./config-error.ts";
import { Link, policyDocument, type Statement } from "./link.ts";
import type { Queue } from "./queue.ts";

/** Every variable of the contract, as a plain value or as a link; optional ones may be left out, unknown ones may not be. */
export type Environment<C extends FunctionContract> = {
  [K in keyof EnvInput<C>]: pulumi.Input<Exclude<EnvInput<C>[K], undefined>> | Link;
};

type LambdaFunctionArgs<C extends FunctionContract> = {
  contract: C;
  environment: Environment<C>;
  /** The stack's own catalog, for functions that read one. */
  catalogFile?: string | undefined;
  /** Instances reserved for this function, which are also its limit. If unset, it shares the account's. */
  reservedConcurrency?: number | undefined;
  /** The queue whose messages invoke it. */
  consumes?: Queue | undefined;
  /** Errors within five minutes that are no reason for an alarm; none unless given. */
  toleratedErrors?: number;
  /** The function's role, if something else has to name it before the function exists; it trusts Lambda. */
  role?: aws.iam.Role | undefined;
};

export class LambdaFunction<C extends FunctionContract> extends pulumi.ComponentResource {
  readonly function: aws.lambda.Function;
  readonly role: aws.iam.Role;
  readonly logGroup: aws.cloudwatch.LogGroup;
  readonly arn: pulumi.Output<string>;

  constructor(name: string, args: LambdaFunctionArgs<C>, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:LambdaFunction", name, {}, opts);
    this.logGroup = this.createLogGroup(name);
    this.role = args.role ?? lambdaRole(name, { parent: this });
    const policy = this.createPolicy(name, args);
    this.function = this.createFunction(name, args, policy);
    this.arn = this.function.arn;
    this.createAlarms(name, args.toleratedErrors ?? 0);
    args.consumes?.invoke(name, this.function, { parent: this });
    this.registerOutputs({ arn: this.arn });
  }

  private createAlarms(name: string, toleratedErrors: number): void {
    const metric = (metricName: string) => ({
      namespace: "AWS/Lambda",
      metricName,
      dimensions: { FunctionName: this.function.name },
    });
    const errors = { of: name, at: this.logGroup.name, metric: metric("Errors"), threshold: toleratedErrors };
    alarmAbove("<function>-errors", errors, { parent: this });
    alarmAbove("<function>-throttles", { of: name, metric: metric("Throttles") }, { parent: this });
  }

  private createLogGroup(name: string): aws.cloudwatch.LogGroup {
    return new aws.cloudwatch.LogGroup(name, { retentionInDays: logRetention.days }, { parent: this });
  }

  private createPolicy(name: string, { environment, consumes }: LambdaFunctionArgs<C>) {
    const statements = [
      writeLogs(this.logGroup),
      ...linksOf(environment).flatMap((link) => link.allow),
      ...(consumes ? [consumes.consume] : []),
    ];
    note(policyProblems(name, statements));
    const policy = policyDocument(statements);
    return new aws.iam.RolePolicy(name, { role: this.role.name, policy }, { parent: this });
  }

  private createFunction(
    name: string,
    { contract, environment, catalogFile, reservedConcurrency }: LambdaFunctionArgs<C>,
    policy: aws.iam.RolePolicy,
  ): aws.lambda.Function {
    const variables = valuesOf(environment);
    note(environmentProblems(name, variables));
    return new aws.lambda.Function(
      name,
      {
        role: this.role.arn,
        runtime: "nodejs24.x",
        architectures: ["arm64"],
        handler: "index.handler",
        code: bundle(contract.entry, catalogFile),
        timeout: contract.timeoutSeconds,
        memorySize: contract.memoryMb,
        ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
        loggingConfig: { logFormat: "JSON", logGroup: this.logGroup.name, systemLogLevel: "WARN" },
        environment: { variables },
      },
      { parent: this, dependsOn: [policy] },
    );
  }
}

export function lambdaRole(name: string, opts: pulumi.CustomResourceOptions): aws.iam.Role {
  const assumeRolePolicy = JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" }],
  });
  return new aws.iam.Role(name, { assumeRolePolicy }, opts);
}

function writeLogs(logGroup: aws.cloudwatch.LogGroup): Statement {
  return {
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    resources: [pulumi.interpolate`${logGroup.arn}:*`],
  };
}

function linksOf(environment: object): Link[] {
  return Object.values(environment).filter((value) => value instanceof Link);
}

function valuesOf(environment: object): Record<string, pulumi.Input<string>> {
  return Object.fromEntries(
    Object.entries(environment).map(([key, value]) => [key, value instanceof Link ? value.value : value]),
  );
}
