// CloudWatch Logs, as far as functions read it: the lines of a log group that hold a phrase.
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import { JsonService, jsonOperation } from "../aws/json-service.ts";
import { AwsError } from "../aws/service.ts";
import type { Resources } from "../program/resources.ts";
import { lambdaFunction } from "../program/services/lambda.ts";
import type { Logs } from "./logs.ts";

const pageSize = 10_000;

type LogsCall = { region: string; logs: Logs; functionOf: ReadonlyMap<string, string> };

const operations = {
  FilterLogEvents: jsonOperation(
    "InvalidParameterException",
    z.strictObject({
      logGroupName: z.string(),
      filterPattern: z.string().default(""),
      startTime: z.number().default(0),
      endTime: z.number().default(Number.POSITIVE_INFINITY),
      nextToken: z.string().default("0"),
    }),
    ({ logGroupName }, { region }: LogsCall) => {
      const resource = `arn:aws:logs:${region}:${accountId}:log-group:${logGroupName}:log-stream:`;
      return [{ action: "logs:FilterLogEvents", resource }];
    },
    ({ logGroupName, filterPattern, startTime, endTime, nextToken }, { logs, functionOf }) => {
      const functionName = functionOf.get(logGroupName);
      if (!functionName) throw new AwsError("ResourceNotFoundException", "The specified log group does not exist.");
      const phrase = phraseOf(filterPattern);
      const found = logs
        .lines(functionName)
        .filter(({ at, line }) => at >= startTime && at < endTime && line.includes(phrase));
      const start = Number(nextToken);
      const events = found.slice(start, start + pageSize).map(({ at, line }, index) => ({
        logStreamName: "local",
        timestamp: at,
        ingestionTime: at,
        message: line,
        eventId: String(start + index),
      }));
      const next = start + events.length;
      return { events, ...(next < found.length && { nextToken: String(next) }) };
    },
  ),
};

export class CloudWatchLogs extends JsonService<LogsCall> {
  constructor({ logs, resources }: { logs: Logs; resources: Resources }) {
    const functions = resources.ofType(lambdaFunction.type);
    const functionOf = new Map(
      functions.map(({ inputs, outputs }) => [inputs.loggingConfig?.logGroup, outputs.name] as const),
    );
    super({
      signingName: "logs",
      title: "CloudWatch Logs",
      operations,
      contextOf: (_operation, { region }) => ({ region, logs, functionOf }),
    });
  }
}

/** @throws AwsError for a pattern that is not one phrase in quotes. */
function phraseOf(pattern: string): string {
  const [, phrase] = /^"([^"\\]*)"$/.exec(pattern) ?? [];
  if (phrase !== undefined || pattern === "") return phrase ?? "";
  throw new AwsError("InvalidParameterException", "The local CloudWatch Logs knows patterns of one phrase in quotes.");
}
