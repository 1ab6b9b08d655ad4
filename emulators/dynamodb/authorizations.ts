// The IAM rights that a DynamoDB call needs: which action, on which table or index, for which partition keys and attributes.
import type { Authorization } from "../aws/service.ts";
import { attributeNames } from "./attribute-names.ts";
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

/**
 * The rights that a checked request needs. A transaction needs one right for each of its items, and no other
 * (docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html). A condition key without
 * a value is absent: a scan has no leading keys. The leading keys of a query on an index are the index's partition keys: AWS says
 * so only by naming up to four of them in that guide's specifying-conditions.html, and no table has more than one.
 */
export function rightsOf(operation: string, request: Request, region: string, tables: Tables): Authorization[] {
  const arn = (name: string, index?: string) => tableArn(name, region) + (index === undefined ? "" : `/index/${index}`);
  const right = (resource: string, keys: string[], attributes: string[], action = operation): Authorization => {
    const context = {
      ...(keys.length > 0 && { "dynamodb:LeadingKeys": [...new Set(keys)] }),
      ...(attributes.length > 0 && { "dynamodb:Attributes": attributes }),
    };
    return { action: `dynamodb:${action}`, resource, ...(Object.keys(context).length > 0 && { context }) };
  };
  const partitionKey = (name: string, index?: string) => partitionKeyOf(tables, name, index);
  const itemKeys = (name: string, items: (Item | undefined)[]) => {
    const attribute = partitionKey(name);
    return attribute === undefined ? [] : items.flatMap((item) => keyText(item?.[attribute]));
  };

  const { TableName: name, IndexName: index, Key, Item } = request as ItemRequest & { IndexName?: string };
  switch (operation) {
    case "BatchGetItem":
      return Object.entries(request.RequestItems as Record<string, BatchGet>).map(([name, { Keys, ...asked }]) => {
        const names = [asked, ...Keys.map((Key) => ({ Key }))].flatMap(attributeNames);
        return right(arn(name), itemKeys(name, Keys), [...new Set(names)]);
      });
    case "BatchWriteItem":
      return Object.entries(request.RequestItems as Record<string, BatchWrite[]>).map(([name, writes]) => {
        const items = writes.map((write) => write.PutRequest?.Item ?? write.DeleteRequest?.Key);
        const names = items.flatMap((Item) => attributeNames({ Item }));
        return right(arn(name), itemKeys(name, items), [...new Set(names)]);
      });
    case "TransactWriteItems":
    case "TransactGetItems":
      return actionsOf(request).map(({ kind, action }) => {
        const { TableName, Key, Item } = action;
        const keys = itemKeys(TableName, [Item ?? Key]);
        return right(arn(TableName), keys, attributeNames(action), actionRights[kind]);
      });
    case "Query":
      return [right(arn(name, index), queriedKey(request, partitionKey(name, index)), attributeNames(request))];
    default:
      return [right(arn(name, index), itemKeys(name, [Item ?? Key]), attributeNames(request))];
  }
}

type BatchGet = Request & { Keys: Item[] };
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
