// CloudWatch Logs as an AWS service: queries of Logs Insights over the lines of the program's functions.
import { createHash, randomUUID } from "node:crypto";
import * as z from "zod";
import { accountId, accountIn } from "../aws/account.ts";
import { JsonService, jsonOperation } from "../aws/json-service.ts";
import { AwsError } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Fields } from "./insights-condition.ts";
import { type InsightsQuery, insightsQueryOf, malformed, mostRows } from "./insights-query.ts";
import type { LogLine, Logs } from "./logs.ts";

type Row = { field: string; value: string }[];

type Query = {
  id: string;
  logGroup: string;
  /** When the answer is complete, or the query was stopped. */
  endsAt: number;
  stopped: boolean;
  answer: { results: Row[]; statistics: { recordsMatched: number; recordsScanned: number; bytesScanned: number } };
};

type InsightsOptions = {
  logs: Logs;
  clock: Clock;
  /** The function that writes to a log group, if there is such a group. */
  functionOf: (logGroup: string) => string | undefined;
  /** How long a query takes, by the stack's clock; 200 ms unless given. */
  queryMs?: number;
};

type LogsCall = { operation: string; region: string; account: string; insights: Insights };

/** "Concurrent queries", of an account and region (docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html). */
const mostQueries = 100;
/** Logs Insights keeps an answer for seven days; here only the newest ones are kept. */
const keptQueries = 1_000;

const errorCode = "InvalidParameterException";
const oneQuery = z.strictObject({ queryId: z.string() });
const seconds = z.int().min(0);

const startInput = z
  .strictObject({
    logGroupName: z.string().min(1).optional(),
    logGroupNames: z.array(z.string().min(1)).length(1).optional(),
    logGroupIdentifiers: z.array(z.string().min(1)).length(1).optional(),
    startTime: seconds,
    endTime: seconds,
    queryString: z.string().min(1).max(10_000),
    queryLanguage: z.literal("CWLI").optional(),
    limit: z.int().min(1).max(mostRows).optional(),
  })
  .refine(
    ({ logGroupName, logGroupNames, logGroupIdentifiers }) =>
      [logGroupName, logGroupNames, logGroupIdentifiers].filter((given) => given !== undefined).length === 1,
    "one of logGroupName, logGroupNames and logGroupIdentifiers is needed, with one group",
  );

export class Insights extends JsonService<LogsCall> {
  readonly #options: InsightsOptions;
  readonly #queries = new Map<string, Query>();

  constructor(options: InsightsOptions) {
    super({
      signingName: "logs",
      title: "CloudWatch Logs",
      operations,
      // A caller that assumed a role of another account asks that account's log groups.
      contextOf: (operation, { region, principal }) => {
        const account = accountIn(principal?.roleArn ?? "") ?? accountId;
        return { operation, region, account, insights: this };
      },
    });
    this.#options = options;
  }

  /** @throws AwsError for a query that cannot begin. */
  start(input: z.output<typeof startInput>): string {
    const { logs, clock, functionOf, queryMs = 200 } = this.#options;
    const now = clock.now();
    const running = [...this.#queries.values()].filter(({ endsAt }) => now < endsAt);
    if (running.length >= mostQueries) {
      throw new AwsError(
        "LimitExceededException",
        `Account maximum query concurrency limit of [${mostQueries}] reached.`,
      );
    }
    const logGroup = groupOf(input);
    const functionName = functionOf(logGroup);
    if (functionName === undefined) {
      throw new AwsError("ResourceNotFoundException", `Log group '${logGroup}' does not exist`);
    }
    if (input.endTime < input.startTime) throw malformed("end date and time is either before the start date and time");
    const query = insightsQueryOf(input.queryString);
    const lines = logs
      .lines(functionName)
      .filter(({ at }) => at >= input.startTime * 1000 && at < (input.endTime + 1) * 1000);
    const id = randomUUID();
    const answer = answerOf(lines, query, query.limit ?? input.limit ?? mostRows);
    this.#queries.set(id, { id, logGroup, endsAt: now + queryMs, stopped: false, answer });
    const [oldest] = this.#queries.size > keptQueries ? this.#queries.keys() : [];
    if (oldest !== undefined) this.#queries.delete(oldest);
    return id;
  }

  /** The answer so far. @throws AwsError ResourceNotFoundException */
  results(id: string) {
    const { endsAt, stopped, answer } = this.find(id);
    const complete = this.#options.clock.now() >= endsAt;
    if (stopped) return { status: "Cancelled", results: [], statistics: answer.statistics };
    return complete ? { status: "Complete", ...answer } : { status: "Running", results: [] };
  }

  stop(id: string): void {
    const query = this.find(id);
    const now = this.#options.clock.now();
    if (now >= query.endsAt) throw new AwsError(errorCode, `Query with id ${id} is not running.`);
    this.#queries.set(id, { ...query, endsAt: now, stopped: true });
  }

  find(id: string): Query {
    const query = this.#queries.get(id);
    if (!query) throw new AwsError("ResourceNotFoundException", `Query with id ${id} does not exist.`);
    return query;
  }
}

const operations = {
  StartQuery: jsonOperation(
    errorCode,
    startInput,
    // A policy names a log group with `:*` at its end.
    (input, { region, account }: LogsCall) => [
      {
        action: "logs:StartQuery",
        resource: `arn:aws:logs:${region}:${account}:log-group:${groupOf(input)}:log-stream:`,
      },
    ],
    (input, { insights }) => ({ queryId: insights.start(input) }),
  ),

  GetQueryResults: jsonOperation(errorCode, oneQuery, onQuery, ({ queryId }, { insights }: LogsCall) => ({
    queryLanguage: "CWLI",
    ...insights.results(queryId),
  })),

  StopQuery: jsonOperation(
    errorCode,
    oneQuery,
    () => [{ action: "logs:StopQuery", resource: "*" }],
    ({ queryId }, { insights }: LogsCall) => {
      insights.stop(queryId);
      return { success: true };
    },
  ),
};

/** The call names no log group, so that the right is asked for on the group that the query reads. */
function onQuery({ queryId }: z.output<typeof oneQuery>, { operation, region, account, insights }: LogsCall) {
  const group = insights.find(queryId).logGroup;
  const resource = `arn:aws:logs:${region}:${account}:log-group:${group}:log-stream:`;
  return [{ action: `logs:${operation}`, resource }];
}

/** A group may be named by its ARN. */
function groupOf({ logGroupName, logGroupNames, logGroupIdentifiers }: z.output<typeof startInput>): string {
  const given = logGroupName ?? logGroupNames?.[0] ?? logGroupIdentifiers?.[0] ?? "";
  return given.replace(/^arn:aws:logs:[^:]*:[^:]*:log-group:/, "").replace(/:\*$/, "");
}

function answerOf(lines: LogLine[], { fields, conditions, sort, limit: _ }: InsightsQuery, limit: number) {
  const found = lines.map(fieldsOf).filter((line) => conditions.every((condition) => condition(line)));
  // The newest line comes first unless the query sorts.
  const keys = sort.length > 0 ? sort : [{ field: "@timestamp", descending: true }];
  const sorted = found.toSorted((one, other) => {
    for (const { field, descending } of keys) {
      const order = orderOf(one[field], other[field]);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
  const results = sorted.slice(0, limit).map((line) => rowOf(line, fields));
  const bytesScanned = lines.reduce((sum, { line }) => sum + line.length, 0);
  return { results, statistics: { recordsMatched: found.length, recordsScanned: lines.length, bytesScanned } };
}

/** A field that a line lacks is not in its row. Each row has a pointer to its line. */
function rowOf(line: Fields, fields: string[]): Row {
  return [...fields, "@ptr"].flatMap((field) => (line[field] === undefined ? [] : [{ field, value: line[field] }]));
}

/** The fields of a line: those of every line, and the members of the JSON in it, by a path with dots. */
function fieldsOf({ at, line, function: functionName }: LogLine): Fields {
  const timestamp = new Date(at).toISOString().replace("T", " ").replace("Z", "");
  return {
    ...membersOf(jsonIn(line)),
    "@timestamp": timestamp,
    "@ingestionTime": timestamp,
    "@message": line,
    "@logStream": functionName,
    "@ptr": createHash("sha256").update(`${at} ${line}`).digest("base64"),
  };
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line.slice(Math.max(0, line.indexOf("{"))));
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown, path = ""): Record<string, string> {
  if (value === null || typeof value !== "object") return path === "" ? {} : { [path]: String(value) };
  const inner = Object.entries(value).map(([name, member]) =>
    membersOf(member, path === "" ? name : `${path}.${name}`),
  );
  return Object.assign({}, ...inner);
}

function orderOf(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  const numbers = [Number(one), Number(other)];
  if (one !== "" && other !== "" && numbers.every((number) => !Number.isNaN(number)))
    return Number(one) - Number(other);
  return one === other ? 0 : one < other ? -1 : 1;
}
