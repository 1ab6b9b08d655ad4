import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../aws/calls.ts";
import type { Keys } from "../../aws/credentials.ts";
import { AwsEndpoint } from "../../aws/endpoint.ts";
import {
  clientOptions,
  dynamoDbClient,
  type RunningEndpoint,
  signedCall,
  signedRequest,
  startEndpoint,
  stsClient,
} from "../support/aws-endpoint.ts";
import { CountingDynamoDb, tableArn } from "../support/counting-dynamodb.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

let toy: CountingDynamoDb;
let endpoint: RunningEndpoint;
let arrived: Call[];
let keys: Keys;
let client: DynamoDBClient;

beforeEach(async () => {
  toy = new CountingDynamoDb();
  arrived = [];
  endpoint = await startEndpoint({
    resources: resources(
      aRole("proxy", [allow(["dynamodb:GetItem", "dynamodb:DescribeTable", "dynamodb:DeleteTable"], tableArn("main"))]),
      aRole("writer", [allow("dynamodb:PutItem", [tableArn("main"), tableArn("audit")])]),
    ),
    services: () => [toy],
    onCall: (call) => arrived.push(structuredClone(call)),
  });
  keys = endpoint.keysOf(aPrincipal("proxy", { functionName: "archway-dev-proxy" }));
  client = dynamoDbClient(endpoint.url, keys);
});

afterEach(async () => {
  client.destroy();
  endpoint.faults.clear();
  await endpoint.close();
});

const getItem = () => new GetItemCommand({ TableName: "main", Key: { pk: { S: "a" } } });
const putItem = (table: string) => new PutItemCommand({ TableName: table, Item: { pk: { S: "a" } } });
const describe_ = () => new DescribeTableCommand({ TableName: "main" });

function asWriter(): DynamoDBClient {
  return dynamoDbClient(endpoint.url, endpoint.keysOf(aPrincipal("writer")));
}

test("a page of another origin learns which headers it may send, and no service is called", async () => {
  const headers = { origin: "http://localhost:5173", "access-control-request-method": "POST" };
  const preflight = await fetch(endpoint.url, { method: "OPTIONS", headers });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect(preflight.headers.get("access-control-allow-headers")).toContain("x-amz-target");
  expect(arrived).toEqual([]);
});

describe("permissions", () => {
  test("an allowed call is carried out and recorded", async () => {
    await client.send(getItem());
    expect(toy.effects).toEqual(["GetItem"]);
    expect(endpoint.calls.all()).toEqual([
      {
        at: expect.any(Number),
        function: "archway-dev-proxy",
        role: "proxy",
        sessionName: "instance-1",
        service: "dynamodb",
        operation: "GetItem",
        decisions: [{ action: "dynamodb:GetItem", resource: tableArn("main"), allowed: true }],
        allowed: true,
        status: 200,
        durationMs: expect.any(Number),
      },
    ]);
  });

  test("a denied call has no effect, and says why in AWS's words", async () => {
    const reason = `User: arn:aws:sts::000000000000:assumed-role/proxy/instance-1 is not authorized to perform: dynamodb:PutItem on resource: ${tableArn("main")} because no identity-based policy allows the dynamodb:PutItem action`;
    await expect(client.send(putItem("main"))).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: reason,
      $metadata: { httpStatusCode: 400 },
    });
    expect(toy.effects).toEqual([]);
    expect(endpoint.calls.all()).toMatchObject([{ operation: "PutItem", allowed: false, status: 400, reason }]);
  });

  test("removing one statement of a policy denies exactly the calls that this statement allowed", async () => {
    const without = await startEndpoint({
      resources: resources(aRole("proxy", [allow("dynamodb:DescribeTable", tableArn("main"))])),
      services: () => [toy],
    });
    const narrowed = dynamoDbClient(without.url, without.keysOf(aPrincipal("proxy")));
    await expect(narrowed.send(getItem())).rejects.toMatchObject({ name: "AccessDeniedException" });
    await narrowed.send(describe_());
    await without.close();
  });

  test("each item of a transaction needs its own right, and each decision is recorded", async () => {
    const put = (TableName: string) => ({ Put: { TableName, Item: {} } });
    const writer = asWriter();
    await writer.send(new TransactWriteItemsCommand({ TransactItems: [put("main"), put("audit")] }));
    const mixed = new TransactWriteItemsCommand({ TransactItems: [put("main"), put("secrets"), put("audit")] });
    await expect(writer.send(mixed)).rejects.toThrow(tableArn("secrets"));
    expect(toy.effects).toEqual(["TransactWriteItems"]);
    expect(endpoint.calls.all()[1]?.decisions.map(({ allowed }) => allowed)).toEqual([true, false, true]);
  });

  test("the region of a call's signature is part of the context of the decision", async () => {
    const onlyHere = { Condition: { StringEquals: { "aws:RequestedRegion": "us-east-1" } } };
    const regional = await startEndpoint({
      resources: resources(aRole("proxy", [allow("dynamodb:GetItem", tableArn("main"), onlyHere)])),
      services: () => [toy],
    });
    const sessionKeys = regional.keysOf(aPrincipal("proxy"));
    const elsewhere = dynamoDbClient(regional.url, sessionKeys);
    const here = new (elsewhere.constructor as typeof DynamoDBClient)({
      ...clientOptions(regional.url, sessionKeys),
      region: "us-east-1",
    });
    await expect(elsewhere.send(getItem())).rejects.toMatchObject({ name: "AccessDeniedException" });
    await here.send(getItem());
    await regional.close();
  });

  test("a call with keys that belong to no function is not counted", async () => {
    await dynamoDbClient(endpoint.url, endpoint.keysOf(aPrincipal("proxy"))).send(getItem());
    expect(endpoint.calls.all()).toMatchObject([{ role: "proxy", allowed: true }]);
    expect(endpoint.calls.uses()).toEqual([]);
  });

  test("every use is counted for the permission report", async () => {
    await client.send(getItem());
    await client.send(getItem());
    await client.send(putItem("main")).catch(() => {});
    expect(endpoint.calls.uses()).toEqual([
      { role: "proxy", action: "dynamodb:GetItem", allowed: 2, denied: 0, statements: ["RolePolicy proxy#1"] },
      { role: "proxy", action: "dynamodb:PutItem", allowed: 0, denied: 1, statements: [] },
    ]);
  });
});

describe("the caller", () => {
  test("a call that needs no right is recorded with its signer", async () => {
    await expect(client.send(new ListTablesCommand({}))).resolves.toMatchObject({ TableNames: ["instance-1"] });
  });

  test("the stack is notified of a call before its rights are checked", async () => {
    await client.send(putItem("main")).catch(() => {});
    expect(arrived).toMatchObject([
      { function: "archway-dev-proxy", sessionName: "instance-1", operation: "PutItem", status: 0, decisions: [] },
    ]);
  });

  test("unknown keys are refused", async () => {
    const stranger = dynamoDbClient(endpoint.url, { ...keys, accessKeyId: "ASIA0000000000000000" });
    await expect(stranger.send(getItem())).rejects.toMatchObject({ name: "UnrecognizedClientException" });
  });

  test("a wrong secret is refused", async () => {
    const wrong = { ...keys, secretAccessKey: "wrong" };
    await expect(dynamoDbClient(endpoint.url, wrong).send(getItem())).rejects.toMatchObject({
      name: "InvalidSignatureException",
      $metadata: { httpStatusCode: 403 },
    });
  });

  test("expired keys are refused from the moment at which they expire", async () => {
    const { credentials, clock, url } = endpoint;
    const temporary = dynamoDbClient(url, credentials.issue(aPrincipal("proxy"), clock.now() + 900_000));
    await temporary.send(getItem());
    clock.advance(900_000);
    await expect(temporary.send(getItem())).rejects.toMatchObject({
      name: "ExpiredTokenException",
      $metadata: { httpStatusCode: 403 },
    });
  });

  test("a call without a signature is refused where a right is needed", async () => {
    const headers = { "x-amz-target": "DynamoDB_20120810.GetItem" };
    const unsigned = await fetch(endpoint.url, {
      method: "POST",
      headers,
      body: JSON.stringify({ TableName: "main" }),
    });
    expect(unsigned.status).toBe(403);
    expect(await unsigned.json()).toMatchObject({ __type: "MissingAuthenticationTokenException" });
  });
});

describe("where a call goes", () => {
  test("a call to a service that the stack lacks is refused with the service's name, in JSON", async () => {
    const answer = await signedCall(endpoint.url, keys, { service: "kinesis", target: "Kinesis.PutRecord", body: {} });
    expect(answer.status).toBe(501);
    expect(answer.body).toMatchObject({
      __type: "UnknownService",
      message: 'The local stack has no service "kinesis"; it has dynamodb',
    });
    expect(endpoint.calls.all()).toMatchObject([{ service: "kinesis", status: 501 }]);
  });

  test("a call to a service that the stack lacks is refused with the service's name, in XML for a form", async () => {
    const { GetCallerIdentityCommand } = await import("@aws-sdk/client-sts");
    await expect(stsClient(endpoint.url, keys).send(new GetCallerIdentityCommand())).rejects.toMatchObject({
      name: "UnknownService",
      message: expect.stringContaining('no service "sts"'),
    });
  });

  test("an unknown operation is the service's own error, and is recorded", async () => {
    await expect(client.send(new ScanCommand({ TableName: "main" }))).rejects.toMatchObject({
      name: "UnknownOperationException",
      message: "no operation Scan",
    });
    expect(endpoint.calls.all()).toMatchObject([{ service: "dynamodb", status: 400, reason: "no operation Scan" }]);
  });

  test("a call that names no service is refused", async () => {
    const answer = await fetch(endpoint.url);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ message: "Missing Authentication Token" });
  });

  test("two services with the same name are an error", () => {
    expect(() => new AwsEndpoint({ ...endpoint, services: [toy, new CountingDynamoDb()] })).toThrow(
      "same signing name",
    );
  });
});

describe("answers", () => {
  test("every answer has a request id and the stack's date", async () => {
    endpoint.clock.advance(7 * 86_400_000);
    const { $metadata } = await client.send(getItem());
    expect($metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const { headers } = await fetch(endpoint.url);
    expect(Math.abs(Date.parse(headers.get("date") ?? "") - endpoint.clock.now())).toBeLessThan(5_000);
  });

  test("an exception inside the emulator is answered with a 500 that contains its message", async () => {
    const broken = await signedCall(endpoint.url, keys, {
      service: "dynamodb",
      target: "DynamoDB_20120810.DeleteTable",
      body: { TableName: "main" },
    });
    expect(broken.status).toBe(500);
    expect(broken.body.message).toContain("a fault in the emulator");
    expect(endpoint.calls.all()).toMatchObject([
      { status: 500, reason: expect.stringContaining("a fault in the emulator") },
    ]);
  });

  test("a body above the limit is refused, and the connection stays usable", async () => {
    const huge = new PutItemCommand({ TableName: "main", Item: { pk: { S: "x".repeat(22 * 1024 * 1024) } } });
    await expect(client.send(huge)).rejects.toMatchObject({ $metadata: { httpStatusCode: 413 } });
    await client.send(getItem());
  });
});

describe("streamed answers", () => {
  test("chunks of an answer are sent as soon as they come", async () => {
    const source = new Readable({ read() {} });
    toy.stream = source;
    const response = await openStream(() => source.push("first"));
    const chunks = response[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe("first");
    source.push("second");
    expect(String((await chunks.next()).value)).toBe("second");
    source.push(null);
    expect((await chunks.next()).done).toBe(true);
  });

  test("a slow reader slows the source of a streamed answer", async () => {
    let left = 400;
    const source = new Readable({
      read() {
        this.push(left === 0 ? null : Buffer.alloc(256 * 1024));
        left -= 1;
      },
    });
    toy.stream = source;
    const paused = once(source, "pause");
    const response = await openStream();
    await paused;
    expect(left).toBeGreaterThan(200);
    expect((await text(response)).length).toBe(400 * 256 * 1024);
  });

  test("a caller that leaves ends the source of its streamed answer", async () => {
    const source = new Readable({ read() {} });
    toy.stream = source;
    const ended = new Promise((resolve) => source.once("error", resolve));
    const response = await openStream(() => source.push("first"));
    response.destroy();
    expect(await ended).toMatchObject({ code: "ERR_STREAM_PREMATURE_CLOSE" });
  });

  test("a source that breaks off breaks the connection, so that no client takes the first part for the whole answer", async () => {
    const source = new Readable({ read() {} });
    toy.stream = source;
    const response = await openStream(() => source.push("first"));
    source.destroy(new Error("broken"));
    await expect(text(response)).rejects.toThrow("aborted");
  });
});

/** DescribeTable, answered with the toy's stream; `started` makes its first chunk, with which the headers leave. */
async function openStream(started: () => void = () => {}): Promise<Readable> {
  const call = { service: "dynamodb", target: "DynamoDB_20120810.DescribeTable", body: { TableName: "main" } };
  const { headers, body } = await signedRequest(endpoint.url, keys, call);
  const answered = once(httpRequest(endpoint.url, { method: "POST", headers }).end(body), "response");
  started();
  const [response] = (await answered) as [Readable];
  return response;
}
