import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { documentClient, throttles, transact, withRetries } from "../../../adapters/dynamodb/client.ts";
import { openStores } from "../../support/dynamodb/stores.ts";

let document: DynamoDBDocumentClient;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ document, close } = await openStores());
});
afterAll(() => close());

const conflict = () => new TransactionConflictException({ message: "conflict", $metadata: { httpStatusCode: 400 } });
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: "cancelled",
    $metadata: { httpStatusCode: 400 },
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** Fails with each error in turn, then succeeds. */
function failing(...errors: Error[]) {
  const state = { calls: 0 };
  const call = async () => {
    const error = errors[state.calls++];
    if (error) throw error;
    return "done";
  };
  return { call, state };
}

describe("a call that meets another's transaction", () => {
  test("a write that conflicts with a transaction is tried again until it succeeds", async () => {
    const { call, state } = failing(conflict(), cancelled("None", "TransactionConflict"));
    expect(await withRetries(call)).toBe("done");
    expect(state.calls).toBe(3);
  });

  test("a write that conflicts with a transaction is given up after a few tries, with the advice to retry", async () => {
    const { call, state } = failing(...Array.from({ length: 9 }, conflict));
    await expect(withRetries(call)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(state.calls).toBe(5);
  });

  test("a write that conflicts with a transaction is not tried again if a condition failed as well", async () => {
    const { call, state } = failing(cancelled("TransactionConflict", "ConditionalCheckFailed"));
    await expect(withRetries(call)).rejects.toBeInstanceOf(TransactionCanceledException);
    expect(state.calls).toBe(1);
  });
});

test("an error that is no outage is passed on unchanged", async () => {
  const denied = Object.assign(new Error("no"), { name: "AccessDeniedException", $fault: "client" });
  await expect(withRetries(failing(denied).call)).rejects.toBe(denied);
});

describe("a transaction", () => {
  test("a transaction writes all or nothing, and names the first condition that failed", async () => {
    const put = (pk: string) => ({
      Put: { TableName: "main", Item: { pk, sk: "x" }, ConditionExpression: "attribute_not_exists(pk)" },
    });
    expect(await transact(document, [put("a"), put("b")])).toBeUndefined();
    expect(await transact(document, [put("c"), put("b"), put("a")])).toBe(1);
    expect(await document.send(new GetCommand({ TableName: "main", Key: { pk: "c", sk: "x" } }))).not.toHaveProperty(
      "Item",
    );
  });

  test("a transaction succeeds beside simultaneous transactions on the same item", async () => {
    const add = {
      Update: {
        TableName: "main",
        Key: { pk: "counter", sk: "x" },
        UpdateExpression: "ADD n :one",
        ExpressionAttributeValues: { ":one": 1 },
      },
    };
    await Promise.all([1, 2, 3, 4].map(() => transact(document, [add])));
    const { Item } = await document.send(new GetCommand({ TableName: "main", Key: { pk: "counter", sk: "x" } }));
    expect(Item?.n).toBe(4);
  });
});

describe("the document client", () => {
  let server: Server;
  let answer: { status: number; body: string } | "never";
  let sockets: Set<unknown>;
  let calls: number;
  const environment = { ...process.env };

  beforeEach(async () => {
    calls = 0;
    sockets = new Set();
    server = createServer((request, response) => {
      calls += 1;
      sockets.add(request.socket);
      request.resume();
      if (answer !== "never") response.writeHead(answer.status).end(answer.body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
    });
  });
  afterEach(() => {
    process.env = { ...environment };
    server.closeAllConnections();
    server.close();
  });

  const get = (client: ReturnType<typeof documentClient>) =>
    withRetries(() => client.send(new GetCommand({ TableName: "main", Key: { pk: "a", sk: "b" } })));

  test("the document client reuses its connection", async () => {
    answer = { status: 200, body: "{}" };
    const client = documentClient();
    for (let call = 0; call < 3; call++) await get(client);
    expect([calls, sockets.size]).toEqual([3, 1]);
  });

  test("the document client turns a broken service into store_unavailable after its attempts", async () => {
    answer = { status: 500, body: '{"__type":"InternalServerError"}' };
    await expect(get(documentClient({ maxAttempts: 2 }))).rejects.toMatchObject({ code: "store_unavailable" });
    expect(calls).toBe(2);
  });

  test.each(throttles)("the document client turns %s into store_unavailable after its attempts", async (name) => {
    answer = {
      status: 400,
      body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "m" }),
    };
    await expect(get(documentClient({ maxAttempts: 2 }))).rejects.toMatchObject({ code: "store_unavailable" });
    expect(calls).toBe(2);
  });

  test("the document client stops waiting after its timeout", async () => {
    answer = "never";
    const client = documentClient({ maxAttempts: 1, requestTimeoutMs: 30 });
    await expect(get(client)).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("the document client distinguishes an unreachable service from a refusal", async () => {
    answer = { status: 400, body: '{"__type":"ResourceNotFoundException","message":"no table"}' };
    await expect(get(documentClient())).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    server.closeAllConnections();
    server.close();
    await expect(get(documentClient({ maxAttempts: 1 }))).rejects.toMatchObject({ code: "store_unavailable" });
  });

  test("the document client leaves out undefined values", async () => {
    answer = { status: 200, body: "{}" };
    const put = new PutCommand({ TableName: "main", Item: { pk: "a", sk: "b", gone: undefined } });
    await expect(documentClient().send(put)).resolves.toBeDefined();
  });
});

test("a failed condition of a single write is not an outage", async () => {
  const update = new UpdateCommand({
    TableName: "main",
    Key: { pk: "none", sk: "none" },
    UpdateExpression: "SET a = :a",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":a": 1 },
  });
  await expect(withRetries(() => document.send(update))).rejects.toMatchObject({
    name: "ConditionalCheckFailedException",
  });
});
