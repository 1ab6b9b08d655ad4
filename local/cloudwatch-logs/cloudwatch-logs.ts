// CloudWatch Logs, as far as functions read it: a log group's lines that hold a phrase.
import { accountId } from "../aws/account.ts";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonAnswer,
  jsonFailure,
  targetOperation,
} from "../aws/service.ts";
import type { Resources } from "../program/resources.ts";
import { lambdaFunction } from "../program/services/lambda.ts";
import type { Logs } from "./logs.ts";

const pageSize = 10_000;

type FilterInput = {
  logGroupName?: string;
  filterPattern?: string;
  startTime?: number;
  endTime?: number;
  nextToken?: string;
};

export class CloudWatchLogs implements AwsService {
  readonly signingName = "logs";
  readonly #logs: Logs;
  readonly #functionOf: ReadonlyMap<string, string>;

  constructor({ logs, resources }: { logs: Logs; resources: Resources }) {
    this.#logs = logs;
    this.#functionOf = new Map(
      resources
        .ofType(lambdaFunction.type)
        .map(({ inputs, outputs }) => [inputs.loggingConfig?.logGroup, outputs.name]),
    );
  }

  operation(request: AwsRequest): string {
    const operation = targetOperation(request);
    if (operation === "FilterLogEvents") return operation;
    throw new AwsError("UnknownOperationException", `The local CloudWatch Logs does not emulate ${operation}`);
  }

  authorizations(operation: string, request: AwsRequest): Authorization[] {
    const { logGroupName } = inputOf(request);
    const resource = `arn:aws:logs:${request.region}:${accountId}:log-group:${logGroupName}:log-stream:`;
    return [{ action: `logs:${operation}`, resource }];
  }

  async handle(_operation: string, request: AwsRequest): Promise<AwsResponse> {
    const { logGroupName = "", filterPattern = "", startTime = 0, endTime, nextToken } = inputOf(request);
    const functionName = this.#functionOf.get(logGroupName);
    if (!functionName) throw new AwsError("ResourceNotFoundException", "The specified log group does not exist.");
    const phrase = phraseOf(filterPattern);
    const found = this.#logs
      .lines(functionName)
      .filter(({ at, line }) => at >= startTime && at < (endTime ?? Number.POSITIVE_INFINITY) && line.includes(phrase));
    const start = Number(nextToken ?? 0);
    const events = found.slice(start, start + pageSize).map(({ at, line }, index) => ({
      logStreamName: "local",
      timestamp: at,
      ingestionTime: at,
      message: line,
      eventId: String(start + index),
    }));
    const next = start + events.length;
    return jsonAnswer({ events, ...(next < found.length && { nextToken: String(next) }) }, "1.1");
  }

  failure(error: AwsError): AwsResponse {
    return jsonFailure(error, "1.1");
  }
}

/** @throws AwsError for a pattern that is not one phrase in quotes. */
function phraseOf(pattern: string): string {
  const [, phrase] = /^"([^"\\]*)"$/.exec(pattern) ?? [];
  if (phrase !== undefined || pattern === "") return phrase ?? "";
  throw new AwsError("InvalidParameterException", "The local CloudWatch Logs knows patterns of one phrase in quotes.");
}

function inputOf({ body }: AwsRequest): FilterInput {
  return JSON.parse(body.toString("utf8") || "{}");
}
