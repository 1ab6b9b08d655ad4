// The function that each message of a gateway passes, and its log, in which the calls of tools are searched.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { interceptor } from "../../handlers/interceptor/contract.ts";
import { LambdaFunction } from "../lambda-function.ts";
import { Link, type Statement, tableLink } from "../link.ts";

export class ToolCalls extends pulumi.ComponentResource {
  readonly function: LambdaFunction<typeof interceptor>;

  constructor(name: string, { table }: { table: aws.dynamodb.Table }, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:ToolCalls", name, {}, opts);
    const TABLE_NAME = tableLink(table, { get: ["tenant", "user", "signOut"], query: ["mcpServer"] });
    this.function = new LambdaFunction(name, { contract: interceptor, environment: { TABLE_NAME } }, { parent: this });
    // A search reads the lines of one tenant, and pays for no others.
    new aws.cloudwatch.LogIndexPolicy(
      name,
      { logGroupName: this.function.logGroup.name, policyDocument: JSON.stringify({ Fields: ["tenant_id"] }) },
      { parent: this },
    );
    this.registerOutputs({});
  }

  /** The right to have the function called, for a gateway's role. */
  get calling(): Statement {
    return { actions: ["lambda:InvokeFunction"], resources: [this.function.arn] };
  }

  /** The log's name, with the right to search it. An answer is asked for by its query's id, which names no log. */
  get searching(): Link {
    const { logGroup } = this.function;
    return new Link(logGroup.name, [
      { actions: ["logs:StartQuery"], resources: [pulumi.interpolate`${logGroup.arn}:*`] },
      { actions: ["logs:GetQueryResults", "logs:StopQuery"], resources: ["*"] },
    ]);
  }
}
