// dynalite's checks, actions, parsers and Level store, reached past its HTTP server and typed here by hand.
import { createRequire } from "node:module";
import { AwsError } from "../aws/service.ts";

const require = createRequire(import.meta.url);

/** An attribute as DynamoDB writes it: a single member named after its type, e.g. `{ S: "a" }`. */
export type AttributeValue = Record<string, unknown>;
export type Item = Record<string, AttributeValue>;

export type KeySchema = { AttributeName: string; KeyType: "HASH" | "RANGE" }[];

export type IndexSchema = {
  IndexName: string;
  KeySchema: KeySchema;
  Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
};

/** The members of a table that the actions of dynalite read, named as in DescribeTable. */
export type TableSchema = {
  TableName: string;
  KeySchema: KeySchema;
  AttributeDefinitions: { AttributeName: string; AttributeType: "S" | "N" | "B" }[];
  GlobalSecondaryIndexes?: IndexSchema[];
};

/** A request that passed the checks. Parsed expressions stand beside the members sent, e.g. `_condition`. */
export type Request = Record<string, unknown>;

/** A refusal as dynalite passes it around. */
type Refusal = Error & { statusCode: number; body: { __type: string; message?: string; Message?: string } };

/** The shape of a member: a type's name, or the type with its constraints and members. */
export type MemberType =
  | string
  | { type: string; children?: string | MemberType | Members; [constraint: string]: unknown };
export type Members = { [member: string]: MemberType };

/** How a request is checked: the members' shapes, then a function that answers what is wrong. */
export type RequestCheck = {
  types: Members;
  custom?: (request: Request, store: { options: { maxItemSize: number } }) => string | undefined;
};

/** The context of a parser. The parser deletes the names and values that the expression uses from the two `unused` members. */
export type ParserContext = {
  attrNames?: Record<string, string>;
  attrVals?: Item;
  unusedAttrNames: Record<string, boolean>;
  unusedAttrVals: Record<string, boolean>;
  isKeyCondition?: boolean;
};

/** Returns the parsed expression, or a string that says what is wrong with it. */
export type Parser = { parse(expression: string, options: { context: ParserContext }): unknown };

export type Range = { gt?: string; gte?: string; lt?: string; lte?: string; reverse?: boolean; limit?: number };
export type Write = { type: "put"; key: string; value: unknown } | { type: "del"; key: string };

export type Level = {
  open(): Promise<void>;
  close(): Promise<void>;
  getSync(key: string): unknown;
  batch(writes: Write[]): Promise<void>;
  values(range: Range): { nextv(size: number): Promise<unknown[]>; close(): Promise<void> };
  iterator(range: Range): AsyncIterable<[string, unknown]>;
};

type Action = (store: object, request: Request, done: (error: unknown, answer: object) => void) => void;

export const database: {
  create(options: { path?: string }): { db: Level };
  createKey(item: Item, schema: TableSchema): string;
  itemSize(item: Item): number;
  validateItem(item: Item, schema: TableSchema): Refusal | undefined;
  validateKey(key: Item, schema: TableSchema): Refusal | undefined;
} = require("dynalite/db");

const validations: {
  checkTypes(request: Request, types: Members): Request;
  checkValidations(request: Request, types: Members, custom: RequestCheck["custom"], store: object): void;
} = require("dynalite/validations");

export const parsers: Parser[] = ["condition", "projection", "update"].map((kind) =>
  require(`dynalite/db/${kind}Parser`),
);

/** An item's largest size in bytes, a limit of DynamoDB. */
export const maxItemSize = 400 * 1024;

const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

const itemOperations = [
  "BatchGetItem",
  "BatchWriteItem",
  "DeleteItem",
  "GetItem",
  "PutItem",
  "Query",
  "Scan",
  "UpdateItem",
] as const;

export type ItemOperation = (typeof itemOperations)[number];

const actions = Object.fromEntries(
  itemOperations.map((name): [string, Action] => [name, require(`dynalite/actions/${lowerFirst(name)}`)]),
);

/** dynalite's check of an operation's request. */
export function requestCheck(operation: ItemOperation | "CreateTable"): RequestCheck {
  return require(`dynalite/validations/${lowerFirst(operation)}`);
}

/**
 * The request, with numbers normalised and expressions parsed.
 * @throws AwsError as DynamoDB refuses it.
 */
export function checkRequest(request: Request, check: RequestCheck): Request {
  try {
    const typed = validations.checkTypes(request, check.types);
    validations.checkValidations(typed, check.types, check.custom, { options: { maxItemSize } });
    return typed;
  } catch (error) {
    throw asAwsError(error);
  }
}

/** Carries an operation out on `store`. Rejects with an AwsError for what DynamoDB refuses. */
export function runAction(operation: ItemOperation, store: object, request: Request): Promise<object> {
  const action = actions[operation] as Action;
  return new Promise((resolve, reject) => {
    action(store, request, (error, answer) => (error ? reject(asAwsError(error)) : resolve(answer)));
  });
}

/** @throws AwsError if dynalite refused. */
export function refuse(refusal: Refusal | undefined): void {
  if (refusal) throw asAwsError(refusal);
}

/** dynalite's refusal as an AwsError; anything else is a fault and stays what it is. */
function asAwsError(error: unknown): unknown {
  if (typeof error !== "object" || error === null || !("statusCode" in error)) return error;
  const { body, statusCode } = error as Refusal;
  const code = body.__type.split("#").at(-1) ?? body.__type;
  return new AwsError(code, body.message || body.Message || code, statusCode);
}
