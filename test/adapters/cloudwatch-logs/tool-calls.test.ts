// The search of Logs Insights: once for the same question, in turn for one tenant, and only lines of the tenant and the integration.
import {
  type CloudWatchLogsClient,
  GetQueryResultsCommand,
  StartQueryCommand,
  StopQueryCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { beforeEach, expect, test } from "@jest/globals";
import { toolCallSearcher } from "../../../adapters/cloudwatch-logs/tool-calls.ts";

const at = "2026-11-23T12:00:00.000Z";
const search = { tenantId: "t1", target: "pets", from: Date.parse(at) - 1, to: Date.parse(at) + 1, limit: 10 };
const line = {
  event: "tool_call",
  at,
  tenant_id: "t1",
  caller_id: "ann",
  target: "pets",
  tool: "feed",
  arguments: [],
  outcome: "ok",
  ms: 5,
};

let now: number;
let started: StartQueryCommand["input"][];
let stopped: number;
let running: number;
let mostRunning: number;
let answers: (string | object[] | Error)[];
let searcher: ReturnType<typeof toolCallSearcher>;

beforeEach(() => {
  now = 1_000;
  started = [];
  [stopped, running, mostRunning] = [0, 0, 0];
  answers = [];
  const client = {
    async send(command: unknown) {
      if (command instanceof StopQueryCommand) return void stopped++;
      if (command instanceof StartQueryCommand) {
        started.push(command.input);
        mostRunning = Math.max(mostRunning, ++running);
        return { queryId: "q" };
      }
      if (!(command instanceof GetQueryResultsCommand)) throw new Error("unknown");
      const answer = answers.shift() ?? [line];
      if (answer instanceof Error) throw answer;
      if (typeof answer === "string") return { status: answer };
      running--;
      return { status: "Complete", results: answer.map((one) => [{ field: "@message", value: JSON.stringify(one) }]) };
    },
  } as unknown as CloudWatchLogsClient;
  const pause = async (milliseconds: number) => {
    now += milliseconds;
  };
  searcher = toolCallSearcher({ logGroup: "calls", clock: () => now, pause, client });
});

test("a query of the tool log names tenant and integration, and the requested filters", async () => {
  await searcher.search(search);
  await searcher.search({ ...search, tool: "feed", caller_id: "ann", outcome: "refused" });
  expect(started.map(({ queryString }) => queryString)).toEqual([
    'fields @timestamp, @message | filter event = "tool_call" and tenant_id = "t1" and target = "pets" | sort @timestamp desc | limit 10',
    expect.stringContaining('target = "pets" and tool = "feed" and caller_id = "ann" and outcome = "refused" |'),
  ]);
});

test.each(['x" or tenant_id = "t-2', "x\\", "x\n", "x | limit 1", "x y", "/x/", "", "'x'"])(
  "the filter %j cannot change the query of the log",
  async (text) => {
    for (const name of ["tenantId", "target", "tool", "caller_id"]) {
      await expect(searcher.search({ ...search, [name]: text })).rejects.toMatchObject({ code: "gateway_unavailable" });
    }
    expect(started).toEqual([]);
  },
);

test("tool calls are read from log lines, and a repeated search within ten seconds returns the earlier answer", async () => {
  answers = ["Scheduled", "Running", [line]];
  const { event: _, tenant_id: __, target: ___, ...call } = line;
  expect(await searcher.search(search)).toEqual([call]);
  await searcher.search(search);
  expect(started).toHaveLength(1);
  expect(started[0]).toMatchObject({ logGroupName: "calls", limit: 10, queryString: expect.stringContaining('"t1"') });
  now += 10_000;
  await searcher.search(search);
  expect(started).toHaveLength(2);
});

test("a log line of another tenant or integration is not shown, even if the log returns it, and neither is a line that is no tool call", async () => {
  answers = [
    [{ ...line, tenant_id: "t2" }, { ...line, target: "cats" }, { tenant_id: "t1", target: "pets" }, "text" as never],
  ];
  expect(await searcher.search(search)).toEqual([]);
});

test("a tenant's searches of the tool log run one after the other", async () => {
  await Promise.all([1, 2, 3].map((limit) => searcher.search({ ...search, limit })));
  expect([started.length, mostRunning]).toEqual([3, 1]);
});

test("a search of the tool log that takes too long is stopped and reported as temporary, and the next search works", async () => {
  answers = Array(100).fill("Running");
  await expect(searcher.search(search)).rejects.toMatchObject({ code: "gateway_unavailable" });
  expect(stopped).toBe(1);
  answers = [new Error("LimitExceededException")];
  await expect(searcher.search(search)).rejects.toMatchObject({ code: "gateway_unavailable" });
  answers = [];
  expect(await searcher.search(search)).toHaveLength(1);
});
