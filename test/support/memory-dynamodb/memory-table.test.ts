// The table in memory does what the local store does: with this project's own writes, and with random ones.
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type LocalTable, openLocalTable } from "../dynamodb/dynamodb.ts";
import { sizes } from "../sizes.ts";
import { documentClientOf, memoryClient } from "./document-client.ts";
import { MemoryTable } from "./memory-table.ts";
import { randomCondition, randomItem, randomUpdate } from "./random-expressions.ts";
import { spendingWrites } from "./spending-writes.ts";
import type { Item } from "./tokens.ts";

let store: LocalTable;
let table: MemoryTable;
let made = 0;
beforeAll(async () => {
  store = await openLocalTable();
});
afterAll(() => store.close());
beforeEach(() => {
  table = new MemoryTable();
});

const TableName = "main";
const newKey = () => ({ pk: `item-${++made}`, sk: "one" });

/** What came of a command, in words that can be compared. */
async function outcome(send: () => Promise<unknown>): Promise<unknown> {
  try {
    const { $metadata, ConsumedCapacity, ...answer } = (await send()) as Record<string, unknown>;
    return answer;
  } catch (error) {
    const { name, Item, CancellationReasons } = error as {
      name: string;
      Item?: never;
      CancellationReasons?: { Code: string; Item?: never }[];
    };
    if (error instanceof TypeError || error instanceof SyntaxError) throw error;
    const reasons = CancellationReasons?.map((each) => ({ code: each.Code, item: each.Item && unmarshall(each.Item) }));
    return { failed: name, item: Item && unmarshall(Item), reasons };
  }
}

/** Both are sent it; what the table in memory made of it. */
async function same(command: object): Promise<unknown> {
  const expected = await outcome(() => store.document.send(command as never));
  const actual = await outcome(() => memoryClient(table).send(command as never));
  expect({ command, actual }).toEqual({ command, actual: expected });
  return actual;
}

async function sameItem(key: Item): Promise<void> {
  await same(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
}

async function start(item: Item | undefined, key: Item): Promise<void> {
  if (item) await same(new PutCommand({ TableName, Item: { ...item, ...key } }));
}

const isFailure = (answer: unknown) => (answer as { failed?: string }).failed === "ConditionalCheckFailedException";

describe.each(Object.entries(spendingWrites))("%s", (_name, writes) => {
  test("each operation of the table in memory takes effect, or fails, as in the local store", async () => {
    const seen = { written: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(writes, async ({ item, update }) => {
        const Key = newKey();
        await start(item, Key);
        const options = { ReturnValues: "ALL_NEW", ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
        const answer = await same(new UpdateCommand({ TableName, Key, ...update, ...options }));
        seen[isFailure(answer) ? "failed" : "written"]++;
        await sameItem(Key);
      }),
      { numRuns: sizes.storeCommands, seed: 9 },
    );
    expect(Math.min(seen.written, seen.failed)).toBeGreaterThan(5);
  });
});

const fails = fc.option(randomCondition, { nil: undefined, freq: 4 });

describe("random", () => {
  test("the table in memory agrees with the local store on random updates", async () => {
    const write = fc.record({ item: fc.option(randomItem, { nil: undefined }), update: randomUpdate, guard: fails });
    const failures = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(write, async ({ item, update, guard }) => {
        const Key = newKey();
        await start(item, Key);
        const input = { TableName, Key, ...inputOf(update.expression, "UpdateExpression", guard) };
        const answer = await same(new UpdateCommand({ ...input, ReturnValues: "ALL_NEW" }));
        failures.add((answer as { failed?: string }).failed);
        await sameItem(Key);
      }),
      { numRuns: 3 * sizes.storeCommands, seed: 9 },
    );
    expect([...failures].sort()).toEqual(["ConditionalCheckFailedException", "ValidationException", undefined]);
  });

  test("the table in memory agrees with the local store on random puts, deletions and old items", async () => {
    const write = fc.record({
      item: fc.option(randomItem, { nil: undefined }),
      by: randomItem,
      guard: randomCondition,
    });
    await fc.assert(
      fc.asyncProperty(write, fc.boolean(), async ({ item, by, guard }, isPut) => {
        const Key = newKey();
        await start(item, Key);
        const options = { ReturnValues: "ALL_OLD", ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;
        const input = { TableName, ...inputOf(undefined, "UpdateExpression", guard), ...options };
        await same(
          isPut ? new PutCommand({ ...input, Item: { ...by, ...Key } }) : new DeleteCommand({ ...input, Key }),
        );
        await sameItem(Key);
      }),
      { numRuns: sizes.storeCommands, seed: 9 },
    );
  });

  test("transactions of the table in memory write all or nothing", async () => {
    const part = fc.record({
      item: fc.option(randomItem, { nil: undefined }),
      kind: fc.constantFrom("Put", "Update", "Delete", "ConditionCheck"),
      update: randomUpdate,
      guard: randomCondition,
      by: randomItem,
    });
    const parts = fc.array(part, { minLength: 1, maxLength: 3 });
    const codes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(parts, async (all) => {
        const keys = all.map(newKey);
        for (const [index, { item }] of all.entries()) await start(item, keys[index] as Item);
        const TransactItems = all.map(({ kind, update, guard, by }, index) => {
          const Key = keys[index];
          const expression = kind === "Update" ? update.expression : undefined;
          const input = { TableName, ...inputOf(expression, "UpdateExpression", guard) };
          const target = kind === "Put" ? { Item: { ...by, ...Key } } : { Key };
          return { [kind]: { ...input, ...target, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } };
        });
        const answer = await same(new TransactWriteCommand({ TransactItems: TransactItems as never }));
        for (const { code } of (answer as { reasons?: { code: string }[] }).reasons ?? []) codes.add(code);
        for (const key of keys) await sameItem(key);
      }),
      { numRuns: 2 * sizes.storeCommands, seed: 9 },
    );
    expect([...codes].sort()).toEqual(["ConditionalCheckFailed", "None", "ValidationError"]);
  });
});

function inputOf(
  expression: string | undefined,
  member: "UpdateExpression",
  guard: { expression: string } | undefined,
): Record<string, unknown> {
  const used = `${expression ?? ""} ${guard?.expression ?? ""}`;
  const pick = (all: Record<string, unknown>) => {
    const entries = Object.entries(all).filter(([name]) => new RegExp(`${name}\\b`).test(used));
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  };
  return {
    ...(expression !== undefined && { [member]: expression }),
    ...(guard && { ConditionExpression: guard.expression }),
    ExpressionAttributeNames: pick({ "#a": "a", "#m": "m" }),
    ExpressionAttributeValues: pick({ ":one": 1, ":five": 5, ":text": "x", ":map": { n: 1, x: 5 }, ":yes": true }),
  };
}

describe("a query", () => {
  const page = { TableName, KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": "many" } };

  test("a query of the table in memory returns a partition in order, page by page", async () => {
    for (const sk of ["c", "a", "b", "d"]) await start({ size: sk === "b" ? 2 : 1 }, { pk: "many", sk });
    await start({}, { pk: "other", sk: "a" });
    await same(new QueryCommand(page));
    await same(new QueryCommand({ ...page, ScanIndexForward: false }));
    const first = (await same(new QueryCommand({ ...page, Limit: 2 }))) as { LastEvaluatedKey: Item };
    await same(new QueryCommand({ ...page, Limit: 2, ExclusiveStartKey: first.LastEvaluatedKey }));
    const values = { ":pk": "many", ":b": "b" };
    const from = { KeyConditionExpression: "pk = :pk AND sk >= :b", ExpressionAttributeValues: values };
    await same(new QueryCommand({ ...page, ...from }));
    const filter = { FilterExpression: "size_ = :b", ExpressionAttributeValues: values };
    await same(new QueryCommand({ ...page, ...filter }));
  });

  test("a query of an index of the table in memory finds the items that have its attributes", async () => {
    await start({ gsi1_pk: "list", gsi1_sk: "2", more: 1 }, newKey());
    await start({ gsi1_pk: "list", gsi1_sk: "1" }, newKey());
    await start({ gsi1_pk: "list" }, newKey());
    const values = { ":pk": "list", ":start": "1" };
    const wanted = "gsi1_pk = :pk AND begins_with(gsi1_sk, :start)";
    const query = { KeyConditionExpression: wanted, ExpressionAttributeValues: values };
    await same(new QueryCommand({ TableName, IndexName: "gsi1", ...query }));
  });
});

test("the table in memory refuses expressions that it does not support", () => {
  class ScanCommand {}
  expect(() => table.execute(new ScanCommand())).toThrow("does not know ScanCommand");
  expect(documentClientOf(async () => ({}))).toBeInstanceOf(Object);
});
