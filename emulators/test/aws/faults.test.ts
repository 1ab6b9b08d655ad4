import { Readable } from "node:stream";
import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { ConnectionCut, type FaultInput, Faults } from "../../aws/faults.ts";
import { dynamoDbClient, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { CountingDynamoDb, tableArn } from "../support/counting-dynamodb.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

const getItems = { service: "dynamodb", operation: "GetItem", when: "before", kind: "error" } as const;
const neverLeft = new AbortController().signal;

describe("which calls are struck", () => {
  let faults: Faults;
  const strikes = (bodies: string[], operation = "GetItem") =>
    bodies.map((body) => faults.take("dynamodb", operation, body) !== undefined);

  beforeEach(() => {
    faults = new Faults();
  });

  test("a fault affects only the first call by default", () => {
    faults.put([getItems]);
    expect(strikes(["", "", ""])).toEqual([true, false, false]);
  });

  test("a fault affects the nth call and the configured number of calls after it", () => {
    faults.put([{ ...getItems, nth: 2, times: 2 }]);
    expect(strikes(["", "", "", ""])).toEqual([false, true, true, false]);
  });

  test("a fault counts only calls of its service and operation", () => {
    faults.put([getItems]);
    expect(strikes([""], "PutItem")).toEqual([false]);
    expect(faults.take("kms", "GetItem", "")).toBeUndefined();
    expect(strikes([""])).toEqual([true]);
  });

  test("a fault with a text counts only calls whose body contains the text", () => {
    faults.put([{ ...getItems, match: "TENANT#2", nth: 2 }]);
    expect(strikes(["TENANT#2", "TENANT#1", "TENANT#2"])).toEqual([false, false, true]);
    faults.put([{ ...getItems, match: "TENANT#2" }]);
    expect(faults.take("dynamodb", "GetItem", Buffer.from("... TENANT#2 ..."))).toBeDefined();
  });

  test("a call that matches two faults gets the first, and the other fault waits", () => {
    faults.put([getItems, { ...getItems, kind: "cut" }]);
    expect(faults.take("dynamodb", "GetItem", "")?.kind).toBe("error");
    expect(faults.take("dynamodb", "GetItem", "")?.kind).toBe("cut");
    expect(faults.take("dynamodb", "GetItem", "")).toBeUndefined();
  });

  test("the list of faults shows how many calls each can still affect, and how many it has affected", () => {
    faults.put([{ ...getItems, times: 3 }]);
    strikes([""]);
    expect(faults.list()).toEqual([{ ...getItems, nth: 1, times: 3, left: 2, struck: 1, hanging: 0 }]);
  });

  test("putting faults replaces the earlier ones, and clearing removes them", () => {
    faults.put([getItems]);
    faults.put([{ ...getItems, operation: "PutItem" }]);
    expect(strikes([""])).toEqual([false]);
    faults.clear();
    expect(faults.list()).toEqual([]);
    expect(strikes([""], "PutItem")).toEqual([false]);
  });
});

describe("a wrong fault is refused with the field's name:", () => {
  test.each<[string, object, RegExp]>([
    ["an unknown kind", { kind: "explode" }, /^0\.kind: /],
    ["an unknown field", { every: 2 }, /^0\.every: /],
    ["a nought", { nth: 0 }, /^0\.nth: /],
    ["no moment", { when: undefined }, /^0\.when: /],
    ["a delay without its length", { kind: "delay" }, /^0\.milliseconds: is needed/],
    ["a length without a delay", { milliseconds: 5 }, /^0\.milliseconds: is for a delay only/],
    ["a code for a throttle", { kind: "throttle", code: "X" }, /^0\.code: is for an error only/],
    ["a conflict of a read", { kind: "conflict" }, /^0\.kind: conflict is for dynamodb's/],
    ["a conflict after its effect", { kind: "conflict", operation: "PutItem", when: "after" }, /^0\.when: /],
  ])("%s", (_, change, message) => {
    expect(() => new Faults().put([{ ...getItems, ...change }])).toThrow(message);
  });

  test("faults that are not a list are refused", () => {
    expect(() => new Faults().put({})).toThrow(/^faults: /);
  });

  test("a wrong fault is refused and changes nothing", () => {
    const faults = new Faults();
    faults.put([getItems]);
    expect(() => faults.put([{}])).toThrow();
    expect(faults.list()).toHaveLength(1);
  });
});

describe("at the endpoint", () => {
  let toy: CountingDynamoDb;
  let endpoint: RunningEndpoint;
  let client: DynamoDBClient;

  beforeEach(async () => {
    toy = new CountingDynamoDb();
    const rights = allow(["dynamodb:GetItem", "dynamodb:PutItem"], tableArn("main"));
    endpoint = await startEndpoint({ resources: resources(aRole("proxy", [rights])), services: () => [toy] });
    client = dynamoDbClient(endpoint.url, endpoint.keysOf(aPrincipal("proxy")));
  });

  afterEach(async () => {
    client.destroy();
    await endpoint.close();
  });

  const put = (fault: Partial<FaultInput>) => endpoint.faults.put([{ ...getItems, operation: "PutItem", ...fault }]);
  const putItem = (table = "main") => client.send(new PutItemCommand({ TableName: table, Item: { pk: { S: "a" } } }));
  const getItem = () => client.send(new GetItemCommand({ TableName: "main", Key: { pk: { S: "a" } } }));

  test.each([
    ["before", []],
    ["after", ["PutItem"]],
  ] as const)("a fault can be an error %s the call has taken effect", async (when, effects) => {
    put({ when });
    await expect(putItem()).rejects.toMatchObject({ name: "InternalServerError", $metadata: { httpStatusCode: 500 } });
    expect(toy.effects).toEqual(effects);
    expect(endpoint.calls.all()).toMatchObject([{ status: 500, fault: `error ${when}`, allowed: true }]);
  });

  test("a fault can answer with a configured error", async () => {
    put({ code: "LimitExceededException", status: 429 });
    await expect(putItem()).rejects.toMatchObject({
      name: "LimitExceededException",
      $metadata: { httpStatusCode: 429 },
    });
  });

  test("a throttle of DynamoDB is an error of its own, and ThrottlingException for other services", async () => {
    put({ kind: "throttle" });
    await expect(putItem()).rejects.toMatchObject({ name: "ProvisionedThroughputExceededException" });
    for (const [service, status] of Object.entries({ kms: 400, bedrock: 429 })) {
      endpoint.faults.put([{ ...getItems, service, operation: "Any", kind: "throttle" }]);
      const struck = endpoint.faults.take(service, "Any", "");
      await expect(struck?.strike(neverLeft)).rejects.toMatchObject({ code: "ThrottlingException", status });
    }
  });

  test("a fault can be a conflict of a plain write", async () => {
    put({ kind: "conflict" });
    await expect(putItem()).rejects.toMatchObject({ name: "TransactionConflictException" });
  });

  test("a conflict of a transaction gives a reason for each item", async () => {
    put({ kind: "conflict", operation: "TransactWriteItems" });
    const item = { Put: { TableName: "main", Item: { pk: { S: "a" } } } };
    const written = client.send(new TransactWriteItemsCommand({ TransactItems: [item, item] }));
    await expect(written).rejects.toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "TransactionConflict" }],
    });
    expect(toy.effects).toEqual([]);
  });

  test.each([
    ["before", []],
    ["after", ["PutItem"]],
  ] as const)("a fault can cut the connection %s the call has taken effect", async (when, effects) => {
    put({ kind: "cut", when });
    await expect(putItem()).rejects.toThrow("socket hang up");
    expect(toy.effects).toEqual(effects);
    expect(endpoint.calls.all()).toMatchObject([{ status: 0, fault: `cut ${when}` }]);
  });

  test.each([
    ["before", []],
    ["after", ["PutItem"]],
  ] as const)(
    'a call with the fault "hang" %s its effect is answered when the faults are cleared',
    async (when, effects) => {
      put({ kind: "hang", when });
      const hanging = putItem();
      // Another call goes through meanwhile, so the first has reached its fault.
      await struck();
      await getItem();
      expect(toy.effects).toEqual([...effects, "GetItem"]);
      expect(endpoint.faults.list()).toMatchObject([{ hanging: 1 }]);
      expect(endpoint.calls.all()[0]).toMatchObject({ status: 0, fault: `hang ${when}` });
      endpoint.faults.clear();
      await hanging;
      expect([...toy.effects].sort()).toEqual(["GetItem", "PutItem"]);
    },
  );

  test('a caller that leaves during the fault "hang" leaves no effect', async () => {
    put({ kind: "hang" });
    const leaving = new AbortController();
    const hanging = client.send(new PutItemCommand({ TableName: "main", Item: {} }), { abortSignal: leaving.signal });
    await struck();
    leaving.abort();
    await expect(hanging).rejects.toMatchObject({ name: "AbortError" });
    await until(() => endpoint.faults.list()[0]?.hanging === 0);
    endpoint.faults.clear();
    await getItem();
    expect(toy.effects).toEqual(["GetItem"]);
  });

  test('the fault "delay" holds the call back for its time', async () => {
    put({ kind: "delay", milliseconds: 30 });
    await putItem();
    expect(endpoint.calls.all()[0]?.durationMs).toBeGreaterThanOrEqual(29);
    expect(toy.effects).toEqual(["PutItem"]);
  });

  test("a streamed answer that a fault withholds is ended", async () => {
    const source = new Readable({ read() {} });
    toy.stream = source;
    put({ when: "after" });
    await expect(putItem()).rejects.toMatchObject({ name: "InternalServerError" });
    expect(source.destroyed).toBe(true);
  });

  test("a denied call is affected by no fault", async () => {
    put({});
    await expect(putItem("other")).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(endpoint.faults.list()).toMatchObject([{ left: 1 }]);
  });

  /** Resolves once a call has met the first fault, before or after its effect. */
  async function struck(): Promise<void> {
    await until(() => endpoint.faults.list()[0]?.struck === 1);
    await new Promise(setImmediate);
  }
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

test("a call whose connection was cut gets no error", async () => {
  const faults = new Faults();
  faults.put([{ ...getItems, kind: "cut" }]);
  await expect(faults.take("dynamodb", "GetItem", "")?.strike(neverLeft)).rejects.toBeInstanceOf(ConnectionCut);
});
