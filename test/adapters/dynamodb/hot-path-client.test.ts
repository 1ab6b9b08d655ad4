import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { ConditionalCheckFailedException, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { hotPathClient, storeService } from "../../../adapters/dynamodb/hot-path-client.ts";
import { serveAws } from "../../../emulators/test/support/aws-server.ts";
import { type OpenDynamoDb, openDynamoDb, region } from "../../../emulators/test/support/dynamodb.ts";

const credentials = { accessKeyId: "test", secretAccessKey: "test" };

async function outcomeOf(act: Promise<object>): Promise<unknown> {
  try {
    const { $metadata: _metadata, ...output } = (await act) as Record<string, unknown>;
    return output;
  } catch (error) {
    const { name, message } = error as Error;
    const item = error instanceof ConditionalCheckFailedException && error.Item ? unmarshall(error.Item) : undefined;
    return { name, message, item, isServiceError: error instanceof DynamoDBServiceException };
  }
}

describe("beside the SDK's client, over the same table", () => {
  let table: OpenDynamoDb;
  let quick: DynamoDBDocumentClient;
  let close: () => Promise<void>;
  beforeAll(async () => {
    table = await openDynamoDb();
    const server = await serveAws(table.service);
    close = server.close;
    quick = hotPathClient(table.document, storeService({ region, credentials, endpoint: server.url }));
  });
  afterAll(async () => {
    await close();
    await table.close();
  });

  const Key = { pk: "a", sk: "é 😀" };
  const item = { ...Key, spent: 123_456_789_012, list: [1, "x", null, true], map: { "r#1": { reservedCost: 0.5 } } };
  const condition = { ConditionExpression: "attribute_not_exists(pk)", ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  const steps = {
    "a put": () => new PutCommand({ TableName: "main", Item: { ...item, absent: undefined } }),
    "a get": () => new GetCommand({ TableName: "main", Key, ConsistentRead: true }),
    "a get of nothing": () => new GetCommand({ TableName: "main", Key: { pk: "none", sk: "none" } }),
    "an update with values": () =>
      new UpdateCommand({
        TableName: "main",
        Key,
        UpdateExpression: "SET #m = :m ADD spent :n",
        ExpressionAttributeNames: { "#m": "map" },
        ExpressionAttributeValues: { ":m": { a: [] }, ":n": 1 },
        ReturnValues: "ALL_NEW",
      }),
    "an update without an answer": () =>
      new UpdateCommand({ TableName: "main", Key, UpdateExpression: "REMOVE absent", ReturnValues: "NONE" }),
    "a condition that fails, with the item": () =>
      new PutCommand({ TableName: "main", Item: item, ...condition } as ConstructorParameters<typeof PutCommand>[0]),
    "a condition that fails, without": () =>
      new PutCommand({ TableName: "main", Item: item, ConditionExpression: "attribute_not_exists(pk)" }),
    "a mistake": () => new UpdateCommand({ TableName: "main", Key, UpdateExpression: "SET" }),
    "a table that is not there": () => new GetCommand({ TableName: "none", Key }),
    "a query": () =>
      new QueryCommand({
        TableName: "main",
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": "a" },
      }),
    "a transaction": () => new TransactWriteCommand({ TransactItems: [{ Put: { TableName: "main", Item: item } }] }),
  };

  test.each(Object.entries(steps))(
    "%s has the same outcome in the hot-path client and in the SDK's client",
    async (_name, command) => {
      const before = new PutCommand({ TableName: "main", Item: item });
      await table.document.send(before);
      const expected = await outcomeOf(table.document.send(command() as never));
      await table.document.send(before);
      expect(await outcomeOf(quick.send(command() as never))).toEqual(expected);
    },
  );
});

describe("a call that goes wrong", () => {
  let answers: ((outgoing: ServerResponse) => void)[];
  let bodies: string[];
  let client: DynamoDBDocumentClient;
  let sendingOnce: DynamoDBDocumentClient;
  let endpoint: string;
  const server = createServer(async (incoming, outgoing) => {
    bodies.push((await buffer(incoming)).toString());
    const answer = answers.shift() ?? ok;
    answer(outgoing);
  });
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = hotPathClient(none, storeService({ region, credentials, endpoint }));
    sendingOnce = hotPathClient(none, storeService({ region, credentials, endpoint }), "once");
  });
  beforeEach(() => {
    answers = [];
    bodies = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const none = { send: () => Promise.reject(new Error("not over the SDK")) } as unknown as DynamoDBDocumentClient;
  const ok = (outgoing: ServerResponse) => void outgoing.end("{}");
  const failing =
    (name: string, status = 400) =>
    (outgoing: ServerResponse) => {
      outgoing
        .writeHead(status)
        .end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "m" }));
    };
  const cut = (outgoing: ServerResponse) => void outgoing.destroy();
  const put = () => client.send(new PutCommand({ TableName: "main", Item: { pk: "a" } }));
  const thrice = <T>(value: T) => [value, value, value];

  test.each([
    ["throttled", failing("ThrottlingException")],
    ["over its throughput", failing("ProvisionedThroughputExceededException")],
    ["over its limit", failing("RequestLimitExceeded")],
    ["a fault of the service", failing("InternalServerError", 500)],
    ["an answer that is no JSON", (outgoing: ServerResponse) => void outgoing.writeHead(503).end("<html>")],
    ["cut off", cut],
  ])("a call that is %s is sent again unchanged until it passes", async (_name, answer) => {
    answers = [answer, answer];
    await put();
    expect(bodies).toEqual(thrice(bodies[0]));
  });

  test.each([
    ["throttled", failing("ThrottlingException"), "ThrottlingException"],
    ["cut off", cut, "SocketError"],
  ])("a call that is %s three times is given up, as an error of the service", async (_name, answer, name) => {
    answers = thrice(answer);
    await expect(put()).rejects.toMatchObject({ name });
    answers = thrice(answer);
    await expect(put()).rejects.toBeInstanceOf(DynamoDBServiceException);
    expect(bodies).toHaveLength(6);
  });

  test.each([
    "ConditionalCheckFailedException",
    "ValidationException",
    "AccessDeniedException",
    "TransactionConflictException",
  ])("the refusal %s of the store is returned at once", async (name) => {
    answers = [failing(name)];
    await expect(put()).rejects.toMatchObject({ name, message: "m" });
    expect(bodies).toHaveLength(1);
  });

  describe("of what is to be sent once", () => {
    const putOnce = (by = sendingOnce) => by.send(new PutCommand({ TableName: "main", Item: { pk: "a" } }));

    test.each([
      ["a fault of the service", failing("InternalServerError", 500), "InternalServerError"],
      [
        "an answer that is no JSON",
        (outgoing: ServerResponse) => void outgoing.writeHead(503).end("<html>"),
        "UnknownError",
      ],
      ["a connection that breaks before the answer", cut, "SocketError"],
      [
        "a connection that breaks within the answer",
        (outgoing: ServerResponse) => {
          outgoing.writeHead(200, { "content-length": 100 }).write("{", () => outgoing.destroy());
        },
        "SocketError",
      ],
    ])("%s is reported at once, because the first attempt may have taken effect", async (_name, answer, name) => {
      answers = [answer];
      await expect(putOnce()).rejects.toMatchObject({ name });
      expect(bodies).toHaveLength(1);
      answers = [answer];
      await expect(putOnce()).rejects.toBeInstanceOf(DynamoDBServiceException);
    });

    test.each([["ThrottlingException"], ["ProvisionedThroughputExceededException"], ["RequestLimitExceeded"]])(
      "%s is sent again, because the first attempt had no effect",
      async (name) => {
        answers = [failing(name), failing(name)];
        await putOnce();
        expect(bodies).toEqual(thrice(bodies[0]));
      },
    );

    describe("a connection that is refused", () => {
      const refused = jest.fn();
      beforeEach(() => {
        refused.mockReset();
        subscribe("undici:client:connectError", refused);
      });
      afterEach(() => void unsubscribe("undici:client:connectError", refused));

      test("a call whose connection is refused is sent again, because nothing was sent", async () => {
        const port = await freePort();
        const late = createServer((_incoming, outgoing) => ok(outgoing));
        refused.mockImplementationOnce(() => late.listen(port, "127.0.0.1"));
        try {
          const store = storeService({ region, credentials, endpoint: `http://127.0.0.1:${port}` });
          await putOnce(hotPathClient(none, store, "once"));
        } finally {
          late.closeAllConnections();
          late.close();
        }
      });

      test("a call that fails three times is an error of the service", async () => {
        const nowhere = storeService({ region, credentials, endpoint: `http://127.0.0.1:${await freePort()}` });
        const given = putOnce(hotPathClient(none, nowhere, "once"));
        await expect(given).rejects.toMatchObject({ name: "UnsentError", $fault: "server" });
        await expect(given).rejects.toBeInstanceOf(DynamoDBServiceException);
        expect(refused).toHaveBeenCalledTimes(3);
      });
    });
  });
});

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
