// Bedrock's log of invocations, as CloudWatch Logs has it (docs.aws.amazon.com/bedrock/latest/userguide/model-invocation-logging.html). A
// line names its request by the metadata that the request brought.
import type { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import * as z from "zod";
import { noUsage, type TokenUsage } from "../../domain/catalog/token-usage.ts";
import { type InvocationLog, type InvocationSearch, requestMember } from "../../domain/metering/logged-usage.ts";
import { insightsLines, logsClient } from "./insights-query.ts";

type InvocationLogOptions = {
  logGroup: string;
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
  client?: (region: string) => CloudWatchLogsClient;
};

const count = z.int().min(0).default(0);

/** Counts of input do not overlap. A call that failed has none. */
const lineSchema = z.object({
  schemaType: z.literal("ModelInvocationLog"),
  requestMetadata: z.object({ [requestMember]: z.string() }),
  input: z
    .object({ inputTokenCount: count, cacheReadInputTokenCount: count, cacheWriteInputTokenCount: count })
    .prefault({}),
  output: z.object({ outputTokenCount: count }).prefault({}),
});

/** A query has 10,000 characters at most. */
const mostAtOnce = 100;
const mostLines = 10_000;
const patienceMs = 20_000;

export function invocationLog({
  logGroup,
  clock,
  pause,
  client = (region) => logsClient(region),
}: InvocationLogOptions): InvocationLog {
  const clients = new Map<string, CloudWatchLogsClient>();

  function clientIn(region: string): CloudWatchLogsClient {
    const made = clients.get(region) ?? client(region);
    clients.set(region, made);
    return made;
  }

  async function addTo(sums: Map<string, TokenUsage>, { region, from, to, requestIds }: InvocationSearch) {
    // Text is looked for and not a field: of a line with a long prompt not all fields are found.
    const query = `fields @message | filter @message like /${requestIds.join("|")}/`;
    const options = { clock, pause, client: clientIn(region), patienceMs };
    for (const line of await insightsLines({ logGroup, from, to, query, limit: mostLines }, options)) {
      const read = lineSchema.safeParse(line).data;
      const id = read?.requestMetadata[requestMember] ?? "";
      if (!read || !requestIds.includes(id)) continue;
      const before = sums.get(id) ?? noUsage;
      sums.set(id, {
        ...before,
        input: before.input + read.input.inputTokenCount,
        output: before.output + read.output.outputTokenCount,
        cache_read: before.cache_read + read.input.cacheReadInputTokenCount,
        // A line does not say how long the cache keeps what was written: five minutes are the cheaper time.
        cache_write_5m: before.cache_write_5m + read.input.cacheWriteInputTokenCount,
      });
    }
  }

  return {
    async usage({ requestIds, ...search }) {
      const sums = new Map<string, TokenUsage>();
      const ids = requestIds.filter((id) => /^[\w-]{1,64}$/.test(id));
      for (let at = 0; at < ids.length; at += mostAtOnce) {
        await addTo(sums, { ...search, requestIds: ids.slice(at, at + mostAtOnce) });
      }
      return sums;
    },
  };
}
