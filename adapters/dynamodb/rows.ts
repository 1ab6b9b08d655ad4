// The rows of the table as the stores read and write them: single reads are consistent, and every call is repeated after a conflict.
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { batchGet, wholeBatch } from "./batch.ts";
import {
  type Attempts,
  attemptTransaction,
  itemMetBy,
  type TransactItems,
  transact,
  withRetries,
  written,
} from "./client.ts";
import { type Key, table } from "./table.ts";
import { absent, type Change, type Condition, type Item, joined, type Write } from "./write.ts";

/** Rows of one partition of the table, or of one of its indexes, in the order of the sort key. */
export type Range = {
  pk: string;
  by?: "index" | "activeIndex";
  /** How the sort key begins. */
  prefix?: string | undefined;
  /** The least sort key; `upTo` has to be given too. */
  from?: string;
  /** The greatest sort key. */
  upTo?: string;
};

/** Further members of a query. Values of the range have the names `:pk`, `:from` and `:to`. */
export type QueryOptions = Omit<Partial<QueryCommandInput>, "TableName" | "IndexName" | "KeyConditionExpression">;

/** A declared record, as far as reading needs it (record.ts). */
type Read<V, Row> = { key(values: V): Key; parse(item: Item | undefined): Row | undefined };

export type Rows = ReturnType<typeof rowsOf>;

/** Each method throws Refusal store_unavailable if the store does not answer or stays in conflict. */
export function rowsOf(client: DynamoDBDocumentClient, TableName: string) {
  /** Reads one page with one call. The read is consistent unless it uses an index, which DynamoDB cannot read consistently. */
  function query(range: Range, { ExpressionAttributeValues, ...options }: QueryOptions = {}) {
    const { condition, values } = keyCondition(range);
    const command = new QueryCommand({
      TableName,
      ...(range.by ? { IndexName: table[range.by].name } : { ConsistentRead: true }),
      KeyConditionExpression: condition,
      ExpressionAttributeValues: { ...values, ...ExpressionAttributeValues },
      ...options,
    });
    return withRetries(() => client.send(command));
  }

  async function* pages(range: Range, options?: QueryOptions): AsyncGenerator<Item[]> {
    let ExclusiveStartKey: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await query(range, { ...options, ExclusiveStartKey });
      if (Items.length > 0) yield Items;
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }

  async function get(Key: Key, ProjectionExpression?: string): Promise<Item | undefined> {
    const command = new GetCommand({ TableName, Key, ConsistentRead: true, ProjectionExpression });
    return (await withRetries(() => client.send(command))).Item;
  }

  return {
    query,
    pages,
    batch: (wanted: readonly Key[]) => batchGet(client, TableName, wanted),
    wholeBatch: (wanted: readonly Key[]) => wholeBatch(client, TableName, wanted),

    async all(range: Range, options?: QueryOptions): Promise<Item[]> {
      const items: Item[] = [];
      for await (const page of pages(range, options)) items.push(...page);
      return items;
    },

    get,

    /** The row of a record, as its schema says it. */
    async read<V, Row>(record: Read<V, Row>, values: V): Promise<Row | undefined> {
      return record.parse(await get(record.key(values)));
    },

    /** @returns whether the condition held; if not, nothing is written */
    put: (Item: Item, condition?: Condition): Promise<boolean> =>
      written(() => client.send(new PutCommand({ TableName, Item, ...condition }))),

    /** @returns whether the condition held; if not, nothing is written */
    update: (Key: Key, change: Change, condition?: Condition): Promise<boolean> =>
      written(() => client.send(new UpdateCommand({ TableName, Key, ...joined(change, condition) }))),

    /** @returns the row after the update; undefined if the condition did not hold, and nothing is written */
    async updated(Key: Key, change: Change, condition?: Condition): Promise<Item | undefined> {
      const command = new UpdateCommand({ TableName, Key, ...joined(change, condition), ReturnValues: "ALL_NEW" });
      let row: Item = {};
      const isWritten = await written(async () => {
        row = (await client.send(command)).Attributes ?? {};
      });
      return isWritten ? row : undefined;
    },
    /** @returns the row that stood already; undefined if this one is written */
    async putUnlessMet(Item: Item): Promise<Item | undefined> {
      const met = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
      try {
        await withRetries(() => client.send(new PutCommand({ TableName, Item, ...absent, ...met })));
        return undefined;
      } catch (error) {
        const row = itemMetBy(error);
        if (!("pk" in row)) throw error;
        return row;
      }
    },
    /** @returns whether the condition held; if not, nothing is deleted */
    delete: (Key: Key, condition?: Condition): Promise<boolean> =>
      written(() => client.send(new DeleteCommand({ TableName, Key, ...condition }))),

    /** Writes all or nothing. @returns the position of the first item whose condition failed, or undefined if all is written */
    transact: (writes: readonly Write[], attempts?: Attempts): Promise<number | undefined> =>
      transact(client, itemsOf(TableName, writes), attempts),
    /** Like `transact`, but with one attempt. A conflict with another transaction is thrown as it is, for `withRetries`. */
    attempt: (writes: readonly Write[]): Promise<number | undefined> =>
      attemptTransaction(client, itemsOf(TableName, writes)),
  };
}

/** Writes as a transaction takes them, each with the table's name. */
function itemsOf(TableName: string, writes: readonly Write[]): TransactItems {
  return writes.map((write) => {
    const [[kind, input]] = Object.entries(write) as [[string, object]];
    return { [kind]: { TableName, ...input } };
  });
}

function keyCondition({ pk, by, prefix, from, upTo }: Range) {
  const { partitionKey, sortKey } = by ? table[by] : table;
  const isPk = `${partitionKey} = :pk`;
  if (prefix !== undefined) {
    return { condition: `${isPk} AND begins_with(${sortKey}, :from)`, values: { ":pk": pk, ":from": prefix } };
  }
  if (upTo === undefined) return { condition: isPk, values: { ":pk": pk } };
  if (from === undefined) return { condition: `${isPk} AND ${sortKey} <= :to`, values: { ":pk": pk, ":to": upTo } };
  const values = { ":pk": pk, ":from": from, ":to": upTo };
  return { condition: `${isPk} AND ${sortKey} BETWEEN :from AND :to`, values };
}
