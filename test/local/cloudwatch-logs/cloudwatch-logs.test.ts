import { CloudWatchLogsClient, FilterLogEventsCommand, PutLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { CloudWatchLogs } from "../../../local/cloudwatch-logs/cloudwatch-logs.ts";
import type { LogLine, Logs } from "../../../local/cloudwatch-logs/logs.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, declared, resources } from "../../support/program/declared-iam.ts";

const logGroup = (name: string) => `arn:aws:logs:eu-central-1:000000000000:log-group:${name}`;
const lines: LogLine[] = [];
const logs = {
  lines: (functionName: string) => lines.filter((line) => line.function === functionName),
} as unknown as Logs;
const aFunction = (name: string) =>
  declared("aws:lambda/function:Function", name, { loggingConfig: { logGroup: `${name}-logs` } }, { name });

let endpoint: RunningEndpoint;
let client: CloudWatchLogsClient;
beforeAll(async () => {
  const program = resources(
    aRole("meter", [allow(["logs:FilterLogEvents", "logs:PutLogEvents"], `${logGroup("proxy-logs")}:*`)]),
    [aFunction("proxy"), aFunction("control")],
  );
  endpoint = await startEndpoint({
    resources: program,
    services: () => [new CloudWatchLogs({ logs, resources: program })],
  });
  client = new CloudWatchLogsClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("meter"))));
});
afterAll(() => endpoint.close());
beforeEach(() => {
  lines.length = 0;
});

const write = (at: number, line: string, functionName = "proxy") => lines.push({ at, function: functionName, line });

async function filter(input: Partial<FilterLogEventsCommand["input"]> = {}) {
  const { events = [], nextToken } = await client.send(
    new FilterLogEventsCommand({ logGroupName: "proxy-logs", ...input }),
  );
  return { events, nextToken, messages: events.map(({ message }) => message) };
}

describe("the lines of a log group", () => {
  test("are its function's, oldest first, each with its time", async () => {
    write(1_000, "one");
    write(1_500, "another function's", "control");
    write(2_000, "two");
    expect((await filter()).events).toEqual([
      { logStreamName: "local", timestamp: 1_000, ingestionTime: 1_000, message: "one", eventId: "0" },
      { logStreamName: "local", timestamp: 2_000, ingestionTime: 2_000, message: "two", eventId: "1" },
    ]);
  });

  test("are found by a phrase, which is no expression", async () => {
    write(1, '{"message":"A request could not be settled (1)"}');
    write(2, '{"message":"A request was settled"}');
    expect((await filter({ filterPattern: '"could not be settled (1)"' })).messages).toHaveLength(1);
    expect((await filter({ filterPattern: '"could .* settled"' })).messages).toEqual([]);
  });

  test("are found by time, from the start on and before the end", async () => {
    for (const at of [10, 20, 30]) write(at, String(at));
    expect((await filter({ startTime: 20 })).messages).toEqual(["20", "30"]);
    expect((await filter({ startTime: 10, endTime: 30 })).messages).toEqual(["10", "20"]);
  });

  test("come in pages", async () => {
    for (let line = 0; line < 10_001; line++) write(line, String(line));
    const first = await filter();
    expect([first.messages.length, first.messages.at(-1)]).toEqual([10_000, "9999"]);
    const second = await filter({ nextToken: first.nextToken });
    expect([second.messages, second.events[0]?.eventId, second.nextToken]).toEqual([["10000"], "10000", undefined]);
  });
});

describe("a call", () => {
  test("needs the right on this log group", async () => {
    await expect(filter({ logGroupName: "control-logs" })).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: expect.stringContaining(`logs:FilterLogEvents on resource: ${logGroup("control-logs")}:log-stream:`),
    });
  });

  test.each(['{ $.level = "ERROR" }', "word", '"one" "two"'])(
    "with a pattern that is no phrase is refused: %s",
    async (pattern) => {
      await expect(filter({ filterPattern: pattern })).rejects.toMatchObject({ name: "InvalidParameterException" });
    },
  );

  test("for what is not played is refused by its name", async () => {
    const put = new PutLogEventsCommand({ logGroupName: "proxy-logs", logStreamName: "local", logEvents: [] });
    await expect(client.send(put)).rejects.toMatchObject({
      name: "UnknownOperationException",
      message: "The local CloudWatch Logs does not emulate PutLogEvents",
    });
  });
});

test("a log group of no function does not exist", async () => {
  const service = new CloudWatchLogs({ logs, resources: resources([aFunction("proxy")]) });
  const request = {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.from('{"logGroupName":"nobody"}'),
    region: "eu-central-1",
    principal: undefined,
  };
  await expect(service.handle("FilterLogEvents", request)).rejects.toMatchObject({ code: "ResourceNotFoundException" });
});
