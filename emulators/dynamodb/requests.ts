// Reads and checks requests. The members of an operation come from dynalite where it knows the operation. An unknown member is refused,
// where dynalite alone would drop it.
import { AwsError, jsonBody } from "../aws/service.ts";
import {
  checkRequest,
  type Item,
  type Members,
  type MemberType,
  type Request,
  type RequestCheck,
  requestCheck,
} from "./dynalite.ts";

/** A write on one item, alone or in a transaction. */
export type ItemRequest = Request & {
  TableName: string;
  Item?: Item;
  Key?: Item;
  ReturnValuesOnConditionCheckFailure?: string;
};

export type TransactionKind = "Put" | "Update" | "Delete" | "ConditionCheck" | "Get";

/** The operation on one item that each action of a transaction is checked and carried out as. */
export const actionOperations = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "DeleteItem",
  Get: "GetItem",
} as const satisfies Record<TransactionKind, string>;

/** dynalite's checks of the operations on one item. */
const itemChecks = {
  PutItem: requestCheck("PutItem"),
  UpdateItem: requestCheck("UpdateItem"),
  DeleteItem: requestCheck("DeleteItem"),
  GetItem: requestCheck("GetItem"),
};

const text = { type: "String", notNull: true };

const checks: Record<string, RequestCheck> = {
  GetItem: itemChecks.GetItem,
  PutItem: returningOnFailure(itemChecks.PutItem),
  UpdateItem: returningOnFailure(itemChecks.UpdateItem),
  DeleteItem: returningOnFailure(itemChecks.DeleteItem),
  Query: requestCheck("Query"),
  Scan: requestCheck("Scan"),
  BatchGetItem: requestCheck("BatchGetItem"),
  BatchWriteItem: requestCheck("BatchWriteItem"),
  TransactWriteItems: transactionCheck(
    {
      ConditionCheck: writingAction("ConditionCheck", "Key", { ConditionExpression: text }),
      Put: writingAction("Put", "Item"),
      Delete: writingAction("Delete", "Key"),
      Update: writingAction("Update", "Key", { UpdateExpression: text }),
    },
    {
      ClientRequestToken: { type: "String", lengthGreaterThanOrEqual: 1, lengthLessThanOrEqual: 36 },
      ReturnItemCollectionMetrics: { type: "String", enum: ["SIZE", "NONE"] },
    },
  ),
  TransactGetItems: transactionCheck({
    Get: fields(membersOf("Get", ["TableName", "Key", "ProjectionExpression", "ExpressionAttributeNames"])),
  }),
};

/** True for the operations that are emulated. */
export function isOperation(name: string): boolean {
  return Object.hasOwn(checks, name);
}

/**
 * The request of an operation, checked.
 * @throws AwsError as DynamoDB refuses it, and for members that are not emulated.
 */
export function readRequest(operation: string, body: Buffer): Request {
  const check = checks[operation] as RequestCheck;
  const request: Request = jsonBody({ body });
  const unknown = unknownMember(request, check.types);
  if (unknown === undefined) return checkRequest(request, check);
  throw new AwsError("ValidationException", `${operation}: the local DynamoDB does not emulate ${unknown}`);
}

/** The one action of each of a transaction's items, in their order. */
export function actionsOf(request: Request): { kind: TransactionKind; action: ItemRequest }[] {
  return (request.TransactItems as Record<string, ItemRequest>[]).flatMap((item) =>
    Object.entries(item).map(([kind, action]) => ({ kind: kind as TransactionKind, action })),
  );
}

/** The path of the first member that the shapes do not know. */
function unknownMember(value: unknown, types: Members): string | undefined {
  for (const [name, member] of Object.entries(value as object)) {
    const type = types[name];
    if (type === undefined) return name;
    const inner = unknownWithin(member, type);
    if (inner) return `${name}.${inner}`;
  }
  return undefined;
}

function unknownWithin(value: unknown, type: MemberType): string | undefined {
  if (typeof type === "string" || typeof type.children !== "object" || typeof value !== "object" || value === null) {
    return undefined;
  }
  if (!/List$|Map/.test(type.type)) return unknownMember(value, type.children as Members);
  for (const element of Object.values(value)) {
    const inner = unknownWithin(element, type.children as MemberType);
    if (inner) return inner;
  }
  return undefined;
}

/** Members of an action of a transaction, taken from the single operation that it is checked as. */
function membersOf(kind: TransactionKind, names: string[]): Members {
  const { types } = itemChecks[actionOperations[kind]];
  return Object.fromEntries(names.map((name) => [name, types[name] as MemberType]));
}

function fields(children: Members): MemberType & object {
  return { type: "FieldStruct<Members>", children };
}

function writingAction(kind: TransactionKind, subject: "Item" | "Key", required: Members = {}): MemberType {
  const expressions = ["ConditionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues"];
  const types = { ...membersOf(kind, ["TableName", subject, ...expressions]), ...required };
  return fields(returningOnFailure({ types }).types);
}

/** dynalite does not know this member. */
function returningOnFailure({ types, ...others }: RequestCheck): RequestCheck {
  const ReturnValuesOnConditionCheckFailure = { type: "String", enum: ["ALL_OLD", "NONE"] };
  return { types: { ...types, ReturnValuesOnConditionCheckFailure }, ...others };
}

/** The check of a transaction with the given kinds of actions and further members. */
function transactionCheck(kinds: Members, others: Members = {}): RequestCheck {
  return {
    types: {
      ...others,
      ReturnConsumedCapacity: { type: "String", enum: ["INDEXES", "TOTAL", "NONE"] },
      TransactItems: {
        type: "List",
        notNull: true,
        lengthGreaterThanOrEqual: 1,
        lengthLessThanOrEqual: 100,
        children: { type: "ValueStruct<TransactItem>", children: kinds },
      },
    },
    custom: (request, store) => {
      const items = request.TransactItems as object[];
      if (items.some((item) => Object.keys(item).length !== 1)) {
        return "TransactItems can only contain one of Check, Put, Update or Delete";
      }
      if ((request.ReturnConsumedCapacity ?? "NONE") !== "NONE") {
        return "the local DynamoDB does not emulate ReturnConsumedCapacity of transactions";
      }
      return actionsOf(request)
        .map(({ kind, action }) => itemChecks[actionOperations[kind]].custom?.(action, store))
        .find((problem) => problem);
    },
  };
}
