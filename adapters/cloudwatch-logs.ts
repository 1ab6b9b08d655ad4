// Reads a function's log group.
import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import type { LogLines } from "../domain/log.ts";
import { agents } from "./connections.ts";

export function logLines(
  logGroupName: string,
  client = new CloudWatchLogsClient({ requestHandler: agents() }),
): LogLines {
  return async function* (phrase, since) {
    const pages = paginateFilterLogEvents(
      { client },
      // A phrase in quotes is found wherever it stands in a line.
      { logGroupName, filterPattern: JSON.stringify(phrase), startTime: since },
    );
    for await (const { events = [] } of pages) for (const { message } of events) if (message) yield message;
  };
}
