// The IAM rights that a DynamoDB call needs: which action, on which table or index, for which partition keys.
import type { Authorization } from "../aws/service.ts";
import type { Item, KeySchema, Request } from "./dynalite.ts";
import { actionsOf, type ItemRequest, type TransactionKind } from "./requests.ts";
import { type Tables, tableArn } from "./tables.ts";

const actionRights: Record<TransactionKind, string> = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  Get: "GetItem",
};

/** The rights that a checked request needs. A transaction needs one for each of its items, and none of its own. */
export function rightsOf(operation: string, request: Request, region: string, tables: Tables): Authorization[] {
  const table = (name: string, index?: string) =>
    tableArn(name, region) + (index === undefined ? "" : `/index/${index}`);
  const right = (resource: string, keys: string[] = [], action = operation): Authorization => ({
    action: `dynamodb:${action}`,
    resource,
    ...(keys.length > 0 && { context: { "dynamodb:LeadingKeys": [...new Set(keys)] } }),
  });
  const partitionKey = (name: string, index?: string) => partitionKeyOf(tables, name, index);
  const itemKeys = (name: string, items: (Item | undefined)[]) => {
    const attribute = partitionKey(name);
    return attribute === undefined ? [] : items.flatMap((item) => keyText(item?.[attribute]));
  };

  const { TableName: name, IndexName: index, Key, Item } = request as ItemRequest & { IndexName?: string };
  switch (operation) {
    case "ListTables":
      return [right("*")];
    case "BatchGetItem":
      return Object.entries(request.RequestItems as Record<string, { Keys: Item[] }>).map(([name, { Keys }]) =>
        right(table(name), itemKeys(name, Keys)),
      );
    case "BatchWriteItem":
      return Object.entries(request.RequestItems as Record<string, BatchWrite[]>).map(([name, writes]) => {
        const items = writes.map((write) => write.PutRequest?.Item ?? write.DeleteRequest?.Key);
        return right(table(name), itemKeys(name, items));
      });
    case "TransactWriteItems":
    case "TransactGetItems":
      return actionsOf(request).map(({ kind, action: { TableName, Key, Item } }) =>
        right(table(TableName), itemKeys(TableName, [Item ?? Key]), actionRights[kind]),
      );
    case "Query":
      return [right(table(name, index), queriedKey(request, partitionKey(name, index)))];
    default:
      return [right(table(name, index), itemKeys(name, [Item ?? Key]))];
  }
}

type BatchWrite = { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } };

/** The partition key's attribute, or undefined for an unknown table or index: the call itself will refuse that. */
function partitionKeyOf(tables: Tables, name: string, index: string | undefined): string | undefined {
  const schema = tables.find(name)?.schema;
  const searched: { KeySchema: KeySchema } | undefined =
    index === undefined ? schema : schema?.GlobalSecondaryIndexes?.find((one) => one.IndexName === index);
  return searched?.KeySchema[0]?.AttributeName;
}

/** dynalite's check has turned a key condition expression into KeyConditions. */
function queriedKey(request: Request, attribute: string | undefined): string[] {
  const conditions = request.KeyConditions as Record<string, { AttributeValueList?: Item[string][] }>;
  return attribute === undefined ? [] : keyText(conditions[attribute]?.AttributeValueList?.[0]);
}

/** A key's value as IAM compares it. */
function keyText(value: Item[string] | undefined): string[] {
  const [text] = Object.values(value ?? {});
  return typeof text === "string" ? [text] : [];
}
