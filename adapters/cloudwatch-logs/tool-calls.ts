// Searches the log of tool calls by Logs Insights. A search is asked once at a time for each tenant, and its answer is kept for a while:
// an account runs a hundred of them at once.
import type { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { Cache } from "../../domain/kernel/cache.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { toolCallEvent } from "../../domain/tools/tool-call.ts";
import {
  filterText,
  type LoggedCall,
  loggedCallSchema,
  type ToolCallSearch,
  type ToolCallSearcher,
} from "../../domain/tools/tool-call-search.ts";
import { insightsLines, logsClient } from "./insights-query.ts";

export type InsightsOptions = {
  logGroup: string;
  clock: () => number;
  pause: (milliseconds: number) => Promise<void>;
  client?: CloudWatchLogsClient;
};

/** A request to the control plane ends after 29 s. */
const patienceMs = 12_000;
const keptMs = 10_000;
/** Logs Insights gives no more (AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html). */
const mostFound = 10_000;

export function toolCallSearcher({ logGroup, clock, pause, client = logsClient() }: InsightsOptions): ToolCallSearcher {
  const kept = new Cache<LoggedCall[]>({ size: 200, ttlMs: keptMs, clock });
  const running = new Map<string, Promise<unknown>>();

  const asked = async (search: ToolCallSearch): Promise<LoggedCall[]> => {
    const { from, to, limit } = search;
    const query = { logGroup, from, to, query: insightsQuery(search), limit };
    return callsOf(await insightsLines(query, { clock, pause, client, patienceMs }), search);
  };

  return {
    mostFound,

    async search(search) {
      const key = JSON.stringify(search);
      const known = kept.get(key);
      if (known) return known;
      // Searches of one tenant run one after the other, so that no tenant takes all the queries that the account may run at once.
      const before = running.get(search.tenantId) ?? Promise.resolve();
      const found = before.then(() => kept.get(key) ?? asked(search));
      const ended = found.catch(() => {});
      running.set(search.tenantId, ended);
      try {
        const calls = await found;
        kept.set(key, calls);
        return calls;
      } catch (cause) {
        const message = "The log of calls does not answer right now. Try again in a moment.";
        throw new Refusal("gateway_unavailable", message, { cause });
      } finally {
        if (running.get(search.tenantId) === ended) running.delete(search.tenantId);
      }
    },
  };
}

/** The query in the language of Logs Insights. @throws Error if a text could be more than a text */
function insightsQuery({ tenantId, target, tool, caller_id, outcome, limit }: ToolCallSearch): string {
  const parts = { event: toolCallEvent, tenant_id: tenantId, target, tool, caller_id, outcome };
  const filters = Object.entries(parts).flatMap(([name, text]) => {
    if (text === undefined) return [];
    if (!filterText.safeParse(text).success) throw new Error(`${name} is no plain text`);
    return [`${name} = "${text}"`];
  });
  return `fields @timestamp, @message | filter ${filters.join(" and ")} | sort @timestamp desc | limit ${limit}`;
}

/** Lines that are the tenant's and the integration's by their own words, too. */
function callsOf(lines: Record<string, unknown>[], { tenantId, target, from, to }: ToolCallSearch): LoggedCall[] {
  return lines.flatMap((line) => {
    if (line.tenant_id !== tenantId || line.target !== target) return [];
    const call = loggedCallSchema.safeParse(line).data;
    const at = Date.parse(call?.at ?? "");
    return call && at >= from && at <= to ? [call] : [];
  });
}
