// A link is a value that a function reads together with the rights that the value is useless without.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

/** One IAM statement. Policies are plain JSON with the resources as outputs inside. */
export type Statement = {
  actions: string[];
  resources: pulumi.Input<string>[];
  conditions?: Record<string, Record<string, pulumi.Input<string> | pulumi.Input<string>[]>>;
};

export class Link {
  readonly value: pulumi.Input<string>;
  readonly allow: Statement[];

  constructor(value: pulumi.Input<string>, allow: Statement[]) {
    this.value = value;
    this.allow = allow;
  }
}

/** What a function may do with the table. `query` includes the indexes. */
export type TableRight = "get" | "query" | "put" | "update" | "delete" | "condition";

const tableActions: Record<TableRight, string> = {
  get: "dynamodb:GetItem",
  query: "dynamodb:Query",
  put: "dynamodb:PutItem",
  update: "dynamodb:UpdateItem",
  delete: "dynamodb:DeleteItem",
  condition: "dynamodb:ConditionCheckItem",
};

/** The table's name, with the rights named. */
export function tableLink(table: aws.dynamodb.Table, ...rights: TableRight[]): Link {
  const items = rights.filter((right) => right !== "query").map((right) => tableActions[right]);
  const allow: Statement[] = [];
  if (items.length > 0) allow.push({ actions: items, resources: [table.arn] });
  if (rights.includes("query")) {
    allow.push({ actions: [tableActions.query], resources: [table.arn, pulumi.interpolate`${table.arn}/index/*`] });
  }
  return new Link(table.name, allow);
}

/** A role's ARN, with the right to assume it and to tag the session. */
export function roleLink(roleArn: pulumi.Input<string>): Link {
  return new Link(roleArn, [{ actions: ["sts:AssumeRole", "sts:TagSession"], resources: [roleArn] }]);
}

/** A log group's name, with the right to search it. */
export function logLink(group: aws.cloudwatch.LogGroup): Link {
  return new Link(group.name, [{ actions: ["logs:FilterLogEvents"], resources: [pulumi.interpolate`${group.arn}:*`] }]);
}

/** A policy document as JSON, from statements. */
export function policyDocument(statements: Statement[]): pulumi.Output<string> {
  return pulumi.jsonStringify({
    Version: "2012-10-17",
    Statement: statements.map((statement) => ({
      Effect: "Allow",
      Action: statement.actions,
      Resource: statement.resources,
      ...(statement.conditions && { Condition: statement.conditions }),
    })),
  });
}
