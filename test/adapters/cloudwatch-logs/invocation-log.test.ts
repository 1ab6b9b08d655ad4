// Lines of the log as Bedrock writes them; a query and its answer by a client of CloudWatch Logs in memory.
import { type CloudWatchLogsClient, StartQueryCommand } from "@aws-sdk/client-cloudwatch-logs";
import { beforeEach, expect, test } from "@jest/globals";
import { invocationLog } from "../../../adapters/cloudwatch-logs/invocation-log.ts";
import type { InvocationLog } from "../../../domain/metering/logged-usage.ts";

const search = { region: "eu-central-1", from: 1_000_500, to: 2_000_500 };

let queries: StartQueryCommand["input"][];
let regions: string[];
let lines: object[];
let log: InvocationLog;
beforeEach(() => {
  [queries, regions, lines] = [[], [], []];
  const client = (region: string) => {
    regions.push(region);
    return {
      async send(command: unknown) {
        if (command instanceof StartQueryCommand) return { queryId: String(queries.push(command.input)) };
        return { status: "Complete", results: lines.map((one) => [{ field: "@message", value: JSON.stringify(one) }]) };
      },
    } as unknown as CloudWatchLogsClient;
  };
  log = invocationLog({ logGroup: "/bedrock", clock: () => 0, pause: async () => {}, client });
});

function aLine(id: string, input: object, output: object) {
  const requestMetadata = { archway_request: id };
  return { schemaType: "ModelInvocationLog", requestId: "aws-1", requestMetadata, input, output };
}

test("the tokens of a request are the sum of all its attempts; a failed attempt has no tokens", async () => {
  lines = [
    aLine(
      "a",
      { inputTokenCount: 2, cacheReadInputTokenCount: 90, cacheWriteInputTokenCount: 5 },
      { outputTokenCount: 7 },
    ),
    aLine("a", { inputTokenCount: 3 }, { outputTokenCount: 1 }),
    { ...aLine("b", {}, {}), errorCode: "ThrottlingException" },
  ];
  expect(await log.usage({ ...search, requestIds: ["a", "b", "c"] })).toEqual(
    new Map([
      ["a", { input: 5, output: 8, cache_read: 90, cache_write_5m: 5, cache_write_1h: 0 }],
      ["b", { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 }],
    ]),
  );
  const query = "fields @message | filter @message like /a|b|c/";
  expect(queries).toEqual([
    { logGroupName: "/bedrock", startTime: 1_000, endTime: 2_001, queryString: query, limit: 10_000 },
  ]);
});

test("lines of the log that only quote a request's id are not counted, nor are those of other schemas", async () => {
  lines = [
    aLine("other", { inputTokenCount: 2 }, { outputTokenCount: 7 }),
    { ...aLine("a", { inputTokenCount: 2 }, {}), schemaType: "Other" },
    { message: "a" },
  ];
  expect(await log.usage({ ...search, requestIds: ["a"] })).toEqual(new Map());
});

test("the log of invocations is searched for a hundred requests at a time, in each region, and an id is never a pattern", async () => {
  const requestIds = Array.from({ length: 150 }, (_, index) => `r-${index}`);
  await log.usage({ ...search, requestIds: [...requestIds, ".*"] });
  await log.usage({ ...search, region: "us-east-1", requestIds: ["x"] });
  expect(queries).toHaveLength(3);
  expect(queries.every(({ queryString = "" }) => !queryString.includes(".*"))).toBe(true);
  expect(regions).toEqual(["eu-central-1", "us-east-1"]);
});
