// A query of Logs Insights, from its start to its answer.
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  StartQueryCommand,
  StopQueryCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import { agents } from "../connections.ts";

export type InsightsQuery = {
  logGroup: string;
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  /** It shows `@message`. */
  query: string;
  limit: number;
};

export type InsightsOptions = {
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
  client: CloudWatchLogsClient;
  /** How long an answer may take. */
  patienceMs: number;
};

const timeouts = { connectionTimeout: 1_000, requestTimeout: 5_000 };
const pollMs = 400;

/**
 * @param region the function's own unless given
 * @param credentials those of the function unless given
 */
export function logsClient(region?: string, credentials?: AwsCredentialIdentityProvider): CloudWatchLogsClient {
  return new CloudWatchLogsClient({
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true },
  });
}

/** @returns the lines that are JSON, parsed. @throws Error for a query that fails or takes too long, which is stopped */
export async function insightsLines(
  { logGroup, from, to, query, limit }: InsightsQuery,
  { clock, pause, client, patienceMs }: InsightsOptions,
): Promise<Record<string, unknown>[]> {
  const { queryId } = await client.send(
    new StartQueryCommand({
      logGroupName: logGroup,
      startTime: Math.floor(from / 1_000),
      endTime: Math.ceil(to / 1_000),
      queryString: query,
      limit,
    }),
  );
  const until = clock() + patienceMs;
  for (;;) {
    const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
    if (status === "Complete") {
      return results.map((fields) => parsed(fields.find(({ field }) => field === "@message")?.value));
    }
    if (status !== "Running" && status !== "Scheduled") throw new Error(`a search ended as ${status}`);
    if (clock() >= until) {
      await client.send(new StopQueryCommand({ queryId })).catch(() => {});
      throw new Error("a search took too long");
    }
    await pause(pollMs);
  }
}

function parsed(text: string | undefined): Record<string, unknown> {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}
