// A link is a value that a function reads together with the rights that the value is useless without.
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { type Declared, records } from "../adapters/dynamodb/records.ts";
import { type RowOperation, table as schema } from "../adapters/dynamodb/table.ts";

/** One IAM statement. Policies are plain JSON with the resources as outputs inside, where AWS alone knows them. */
export type Statement<Text = pulumi.Input<string>> = {
  actions: string[];
  resources: Text[];
  conditions?: Record<string, Record<string, Text | Text[]>>;
};

export class Link {
  readonly value: pulumi.Input<string>;
  readonly allow: Statement[];

  constructor(value: pulumi.Input<string>, allow: Statement[]) {
    this.value = value;
    this.allow = allow;
  }
}

const tableOperations = {
  get: "dynamodb:GetItem",
  batchGet: "dynamodb:BatchGetItem",
  query: "dynamodb:Query",
  put: "dynamodb:PutItem",
  update: "dynamodb:UpdateItem",
  delete: "dynamodb:DeleteItem",
  condition: "dynamodb:ConditionCheckItem",
} as const satisfies Record<RowOperation, string>;

type KindOf<D extends Declared> = D[keyof D]["kind"];

/** A function's rights on the table: for each operation, the kinds of records to which the function may apply it. */
export type TableRights<D extends Declared = typeof records> = Partial<Record<RowOperation, readonly KindOf<D>[]>> & {
  /** Updates of a kind that may name only these attributes, in keys and conditions too. `*` stands for any ending of a name. */
  updateOnly?: Partial<Record<KindOf<D>, readonly string[]>>;
  /** Queries of the first index, by the records that it lists. */
  index?: readonly (keyof D)[];
  /** Queries of the second index, by the records that it lists. */
  activeIndex?: readonly (keyof D)[];
};

/**
 * The table's name, with the rights named. An operation on a record also shows what it returns of it, so a right to write
 * is a right to read. One statement has all kinds of an operation, since a transaction may be judged with all its keys at once.
 */
export function tableLink<D extends Declared = typeof records>(
  table: aws.dynamodb.Table,
  rights: TableRights<D>,
  declared: D = records as unknown as D,
): Link {
  const { updateOnly = {}, index = [], activeIndex = [], ...byOperation } = rights;
  const prefixes = new Map(Object.values(declared).map(({ kind, prefix }) => [kind, prefix]));
  const prefixOf = (kind: string) => known(prefixes.get(kind), kind);
  const allow: Statement[] = [];
  for (const [operation, kinds] of Object.entries(byOperation) as [RowOperation, string[]][]) {
    const conditions = keysLike(kinds.map(prefixOf));
    allow.push({ actions: [tableOperations[operation]], resources: [table.arn], conditions });
  }
  for (const [kind, attributes] of Object.entries(updateOnly) as [string, readonly string[]][]) {
    const conditions = naming(attributes, keysLike([prefixOf(kind)]));
    allow.push({ actions: [tableOperations.update], resources: [table.arn], conditions });
  }
  for (const [by, names] of Object.entries({ index, activeIndex }) as ["index" | "activeIndex", string[]][]) {
    if (names.length === 0) continue;
    const listed = names.map((name) => known(declared[name]?.patterns[by]?.pk.prefix, name));
    const resources = [pulumi.interpolate`${table.arn}/index/${schema[by].name}`];
    allow.push({ actions: [tableOperations.query], resources, conditions: keysLike([...new Set(listed)]) });
  }
  return new Link(table.name, allow);
}

function known(prefix: string | undefined, name: string): string {
  if (prefix === undefined) throw new Error(`no such record: ${name}`);
  return prefix;
}

/**
 * A condition on partition keys that begin so: the index's keys if an index is queried. A set operator is true if there is no key at all,
 * hence `Null` (docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html).
 */
function keysLike(prefixes: readonly string[]) {
  return {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": prefixes.map((prefix) => `${prefix}*`) },
    Null: { "dynamodb:LeadingKeys": "false" },
  };
}

/** A condition on calls that name no other attributes (docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html). */
function naming(attributes: readonly string[], conditions: ReturnType<typeof keysLike>) {
  return {
    "ForAllValues:StringLike": { ...conditions["ForAllValues:StringLike"], "dynamodb:Attributes": [...attributes] },
    Null: { ...conditions.Null, "dynamodb:Attributes": "false" },
  };
}

/** A role's ARN, with the right to assume it and to tag the session. */
export function roleLink(roleArn: pulumi.Input<string>): Link {
  return new Link(roleArn, [{ actions: ["sts:AssumeRole", "sts:TagSession"], resources: [roleArn] }]);
}

/** A role's ARN, with the right to assume it, in a session without tags. */
export function assumeLink(roleArn: pulumi.Input<string>): Link {
  return new Link(roleArn, [{ actions: ["sts:AssumeRole"], resources: [roleArn] }]);
}

/** A queue's URL, with the right to send to it alone. */
export function sendLink(queue: aws.sqs.Queue): Link {
  return new Link(queue.url, [{ actions: ["sqs:SendMessage"], resources: [queue.arn] }]);
}

/** A function's ARN, with the right to invoke it. */
export function invokeLink(arn: pulumi.Input<string>): Link {
  return new Link(arn, [{ actions: ["lambda:InvokeFunction"], resources: [arn] }]);
}

/** A secret's ARN, with the right to read it alone. */
export function secretLink(secretArn: string): Link {
  return new Link(secretArn, [{ actions: ["secretsmanager:GetSecretValue"], resources: [secretArn] }]);
}

/** A user pool's id, with the right to list, make, invite, sign out and remove its accounts. */
export function accountsLink(userPool: aws.cognito.UserPool): Link {
  const names = ["AdminGetUser", "AdminCreateUser", "AdminDeleteUser", "AdminUserGlobalSignOut", "ListUsers"];
  const actions = names.map((name) => `cognito-idp:${name}`);
  return new Link(userPool.id, [{ actions, resources: [userPool.arn] }]);
}

/** A policy document as JSON, from statements. */
export function policyDocument(statements: Statement[]): pulumi.Output<string> {
  return pulumi.jsonStringify(policyBody(statements));
}

/** The object that a policy document's JSON is made of. */
export function policyBody(statements: Statement[]): object {
  return {
    Version: "2012-10-17",
    Statement: statements.map((statement) => ({
      Effect: "Allow",
      Action: statement.actions,
      Resource: statement.resources,
      ...(statement.conditions && { Condition: statement.conditions }),
    })),
  };
}
