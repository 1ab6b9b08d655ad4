import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Clock } from "../../clock.ts";
import { DynamoDb } from "../../dynamodb/dynamodb.ts";
import { callDynamoDb, tableInputs } from "../support/dynamodb.ts";
import { addToCounters } from "../support/dynamodb-counters.ts";

const writer = fileURLToPath(new URL("../support/dynamodb-writer.ts", import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dynamodb-"));
});

afterEach(() => rm(folder, { recursive: true }));

const open = () => DynamoDb.open({ clock: new Clock(), path: folder });
const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
const put = (service: DynamoDb, pk: string, text: string) =>
  callDynamoDb(service, "PutItem", { TableName: "main", Item: { ...key(pk, "a"), text: { S: text } } });

async function withTable(items: number): Promise<void> {
  const service = await open();
  await service.createTable(tableInputs);
  for (let item = 0; item < items; item += 1) await put(service, `item ${item}`, "x".repeat(1000));
  await service.close();
}

async function damage(prefix: string): Promise<void> {
  const [name = ""] = (await readdir(folder)).filter((file) => file.includes(prefix));
  const bytes = await readFile(join(folder, name));
  await writeFile(join(folder, name), bytes.fill(7, Math.floor(bytes.length / 3), Math.floor(bytes.length / 2)));
}

describe("a folder", () => {
  test("DynamoDB's folder keeps tables, items and index entries from one opening to the next", async () => {
    const before = await open();
    await before.createTable(tableInputs);
    const Item = { ...key("a", "b"), gsi1_pk: { S: "g" }, gsi1_sk: { S: "h" } };
    await callDynamoDb(before, "PutItem", { TableName: "main", Item });
    await before.close();

    const after = await open();
    await after.createTable(tableInputs);
    expect(await callDynamoDb(after, "GetItem", { TableName: "main", Key: key("a", "b") })).toEqual({ Item });
    const found = await callDynamoDb(after, "Query", {
      TableName: "main",
      IndexName: "gsi1",
      KeyConditionExpression: "gsi1_pk = :g",
      ExpressionAttributeValues: { ":g": { S: "g" } },
    });
    expect(found.Items).toEqual([Item]);
    await after.close();
  });

  test.each([
    ["MANIFEST", "manifest"],
    [".log", "log"],
  ])("DynamoDB's folder that is damaged in its %s is refused, with the file's name and advice", async (file) => {
    await withTable(100);
    await damage(file);
    const refused = expect(open()).rejects;
    await refused.toThrow(
      `The DynamoDB folder ${folder} cannot be opened: it is in use by another process, or damaged.`,
    );
    await refused.toThrow("or empty the folder");
  });

  test("DynamoDB's folder is refused if another process uses it, and after that process was killed no answered write is lost", async () => {
    await withTable(0);
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", writer, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = linesOf(child);
    expect(await lines.next()).toBe("open");
    await expect(open()).rejects.toThrow("in use by another process");

    let answered = 0;
    while (answered < 50) answered = Number(await lines.next());
    child.kill("SIGKILL");
    await once(child, "close");
    answered = lines.last();

    const service = await open();
    const [left, right] = await indexedCounters(service);
    expect(left).toBeGreaterThanOrEqual(answered);
    expect(left).toBeLessThanOrEqual(answered + 1);
    expect(right).toBe(left);
    expect(await Promise.all([counter(service, "left"), counter(service, "right")])).toEqual([left, left]);
    await service.close();
  });

  test("DynamoDB's folder never contains half a transaction", async () => {
    await withTable(0);
    const service = await open();
    await addToCounters(service);
    let running = true;
    const writing = (async () => {
      for (let written = 0; written < 50; written += 1) await addToCounters(service);
      running = false;
    })();
    while (running) {
      const [left, right] = await indexedCounters(service);
      expect(left).toBe(right);
    }
    await writing;
    expect(await indexedCounters(service)).toEqual([51, 51]);
    await service.close();
  });
});

async function counter(service: DynamoDb, pk: string): Promise<number> {
  const { Item } = await callDynamoDb(service, "GetItem", { TableName: "main", Key: key(pk, "count") });
  return Number(Item.written.N);
}

/** Both counters by one query of the index, which sees one moment. */
async function indexedCounters(service: DynamoDb): Promise<number[]> {
  const { Items } = await callDynamoDb(service, "Query", {
    TableName: "main",
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1_pk = :index",
    ExpressionAttributeValues: { ":index": { S: "counters" } },
  });
  return Items.map((item: { written: { N: string } }) => Number(item.written.N));
}

/** The child's lines, one at a time; `last` is the last number that it printed. */
function linesOf(child: ChildProcess) {
  const reader = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  let last = "0";
  reader.on("line", (line) => {
    last = line;
  });
  const lines = reader[Symbol.asyncIterator]();
  return { next: async () => (await lines.next()).value as string, last: () => Number(last) };
}
