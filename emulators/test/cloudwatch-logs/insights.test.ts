import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  StartQueryCommand,
  StopQueryCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Insights } from "../../cloudwatch-logs/insights.ts";
import { Logs } from "../../cloudwatch-logs/logs.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

const logGroupName = "/aws/lambda/interceptor";
const groupArn = `arn:aws:logs:eu-central-1:000000000000:log-group:${logGroupName}:*`;

/** Longer than any test takes. */
const queryMs = 600_000;

let folder: string;
let logs: Logs;
let endpoint: RunningEndpoint;
let client: CloudWatchLogsClient;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "archway-logs-"));
  endpoint = await startEndpoint({
    resources: resources(
      aRole("searcher", [allow("logs:StartQuery", groupArn), allow(["logs:GetQueryResults", "logs:StopQuery"], "*")]),
      aRole("other", [allow("logs:StartQuery", groupArn.replace("interceptor", "control"))]),
    ),
    services: ({ clock }) => {
      logs = new Logs(folder, clock);
      const functionOf = (group: string) => (group === logGroupName ? "interceptor" : undefined);
      return [new Insights({ logs, clock, functionOf, queryMs })];
    },
  });
  client = as("searcher");
});

afterEach(async () => {
  client.destroy();
  await endpoint.close();
  rmSync(folder, { recursive: true, force: true });
});

function as(role: string): CloudWatchLogsClient {
  return new CloudWatchLogsClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role))));
}

function write(line: object | string): void {
  logs.write("interceptor", typeof line === "string" ? line : JSON.stringify(line));
  endpoint.clock.advance(1_000);
}

async function start(queryString: string, more: object = {}, by = client): Promise<string> {
  const now = Math.floor(endpoint.clock.now() / 1000);
  const range = { startTime: now - 3_600, endTime: now + 1 };
  const { queryId } = await by.send(new StartQueryCommand({ logGroupName, queryString, ...range, ...more }));
  return queryId ?? "";
}

async function rows(queryString: string, more: object = {}): Promise<Record<string, string>[]> {
  const queryId = await start(queryString, more);
  endpoint.clock.advance(queryMs);
  const { results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
  return results.map((row) => {
    const entries = row.filter(({ field }) => field !== "@ptr").map(({ field = "", value = "" }) => [field, value]);
    return Object.fromEntries(entries);
  });
}

describe("a query", () => {
  beforeEach(() => {
    write({ tenant_id: "t1", target: "weather", ms: 12, error: { code: "late" } });
    write({ tenant_id: "t2", target: "weather", ms: 9 });
    write({ tenant_id: "t1", target: "notes", ms: 100 });
    logs.write("control", JSON.stringify({ tenant_id: "t1", target: "elsewhere" }));
    write("REPORT something else");
  });

  test.each([
    [`filter tenant_id = "t1" | sort @timestamp asc | fields target`, ["weather", "notes"]],
    [`fields target | filter tenant_id = 't1' and target = "notes"`, ["notes"]],
    [`fields target | filterIndex tenant_id = "t1" | filter ms < 50`, ["weather"]],
    [
      `fields target | filter tenant_id = "t2" or (ms >= 100 and not target like "weath") | sort ms desc`,
      ["notes", "weather"],
    ],
    [`fields target | filter target in ["notes", "none"]`, ["notes"]],
    [`fields target | filter target =~ /^WEA/i and tenant_id != "t2"`, ["weather"]],
    [`fields target | filter ispresent(error.code)`, ["weather"]],
    [`fields target | filter target not like /weather/ and ispresent(target)`, ["notes"]],
    [`fields target | filter ispresent(ms) | sort ms asc | limit 2`, ["weather", "weather"]],
    [`fields target | filter tenant_id = "t1\\" or tenant_id = \\"t2"`, []],
    [`filter tenant_id = "t1" # a remark\n| display target | sort @timestamp`, ["notes", "weather"]],
  ])("%s", async (query, targets) => {
    expect((await rows(query)).map(({ target }) => target)).toEqual(targets);
  });

  test("a query of Logs Insights returns time and line by default, the newest first", async () => {
    const [newest, ...older] = await rows(`filter @message like "e"`);
    expect(newest).toEqual({
      "@timestamp": expect.stringMatching(/^\d{4}-\d\d-\d\d [\d:.]+$/),
      "@message": "REPORT something else",
    });
    expect(older).toHaveLength(3);
  });

  test("a query of Logs Insights reads only its time range, and returns at most the requested number of rows", async () => {
    const now = Math.floor(endpoint.clock.now() / 1000);
    expect(await rows("fields target", { startTime: now - 7_200, endTime: now - 3_600 })).toEqual([]);
    expect(await rows("fields target", { limit: 1 })).toHaveLength(1);
  });

  test("a query of Logs Insights takes some time, and can be stopped", async () => {
    const queryId = await start("fields target");
    expect(await client.send(new GetQueryResultsCommand({ queryId }))).toMatchObject({
      status: "Running",
      results: [],
    });
    await client.send(new StopQueryCommand({ queryId }));
    expect((await client.send(new GetQueryResultsCommand({ queryId }))).status).toBe("Cancelled");
    const another = await start("fields target");
    endpoint.clock.advance(queryMs);
    expect(await client.send(new GetQueryResultsCommand({ queryId: another }))).toMatchObject({
      status: "Complete",
      statistics: { recordsMatched: 4, recordsScanned: 4 },
    });
  });

  test.each([
    ["stats count(*) by target"],
    [`filter tenant_id = "t1`],
    ["filter tenant_id"],
    [`filter tenant_id = "t1" extra`],
    ["limit 0"],
    ["sort"],
  ])("an invalid query of Logs Insights is refused: %s", async (query) => {
    await expect(start(query)).rejects.toMatchObject({ name: "MalformedQueryException" });
  });

  test("a query of Logs Insights needs an existing log group and the right to read it", async () => {
    await expect(start("fields a", { logGroupName: "/aws/lambda/none" }, as("other"))).rejects.toMatchObject({
      name: "AccessDeniedException",
    });
    await expect(start("fields a", {}, as("other"))).rejects.toMatchObject({ name: "AccessDeniedException" });
  });

  test("at most a hundred queries of Logs Insights run at the same time", async () => {
    for (let count = 0; count < 100; count += 1) await start("fields a");
    await expect(start("fields a")).rejects.toMatchObject({ name: "LimitExceededException" });
    endpoint.clock.advance(queryMs);
    expect(await start("fields a")).toEqual(expect.any(String));
  });
});
