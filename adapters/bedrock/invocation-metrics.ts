// The metrics that Bedrock adds to the last event of a stream. It bills by their counts.
import { type HostCounts, tokenCount } from "../../domain/catalog/token-usage.ts";
import { record } from "../../domain/kernel/json.ts";

export const metricsMember = "amazon-bedrock-invocationMetrics";

const written = Buffer.from(`"${metricsMember}"`);

/** The counts in an event's metrics; undefined if it has none. An event that does not name them is not parsed. */
export function countsIn(event: Buffer): HostCounts | undefined {
  if (!event.includes(written)) return undefined;
  const { type, [metricsMember]: value } = parsed(event);
  if (type !== "message_stop") return undefined;
  const metrics = record(value);
  return {
    input: tokenCount(metrics.inputTokenCount),
    output: tokenCount(metrics.outputTokenCount),
    cacheRead: tokenCount(metrics.cacheReadInputTokenCount),
    cacheWrite: tokenCount(metrics.cacheWriteInputTokenCount),
  };
}

/** Text that is not JSON has no members; the reader of the event reports it. */
function parsed(event: Buffer): Record<string, unknown> {
  try {
    return record(JSON.parse(event.toString("utf8")));
  } catch {
    return {};
  }
}
