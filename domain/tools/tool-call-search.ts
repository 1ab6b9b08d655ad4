// The search for an integration's calls in the log: what may be asked, and which time is searched.
import * as z from "zod";
import { logRetention } from "../kernel/log.ts";
import { dayMs, hourMs } from "../kernel/period.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import { retentionMs } from "../kernel/retention.ts";
import { type ToolCallOutcome, toolCallOutcomes } from "./tool-call.ts";

export const loggedCallSchema = z
  .object({
    at: z.iso.datetime().describe("When the call ended"),
    caller_id: z.string().describe("`user_id` of the person who called the tool"),
    tool: z.string().describe("Name of the tool, without the integration's name"),
    arguments: z.array(z.string()).describe("Names of the arguments. Their values are not logged"),
    outcome: z
      .enum(toolCallOutcomes)
      .describe(
        "Outcome of the call. `tool_error`: the tool reported an error. `failed`: the gateway or the server failed",
      ),
    ms: z.number().optional().describe("Duration of the call in milliseconds, if known"),
  })
  .meta({ id: "ToolCall", description: "A logged call of a tool" });

export type LoggedCall = z.output<typeof loggedCallSchema>;

export type ToolCallFilter = {
  tool?: string | undefined;
  caller_id?: string | undefined;
  outcome?: ToolCallOutcome | undefined;
};

export type ToolCallSearch = ToolCallFilter & {
  tenantId: string;
  target: string;
  /** Milliseconds since the epoch; both are within. */
  from: number;
  to: number;
  /** Newest first. */
  limit: number;
};

export interface ToolCallSearcher {
  /** The most calls that one search finds. */
  readonly mostFound: number;
  /** @throws Refusal gateway_unavailable if the log does not answer in time */
  search(search: ToolCallSearch): Promise<LoggedCall[]>;
}

/** The longest time that one search covers, and the usual one. */
const longestSearchMs = dayMs;
const usualSearchMs = hourMs;

/** A name or an id that a filter takes: no character that could end a text of a query. */
export const filterText = z.string().regex(/^[\w.-]{1,256}$/, "must be 1 to 256 letters, digits, _ . -");

type Asked = { from?: string | undefined; to?: string | undefined; now: number; createdAt: string };

/** The time that is searched. @throws Refusal invalid_request */
export function searchTimes({ from, to, now, createdAt }: Asked): { from: number; to: number } {
  const end = to === undefined ? now : Math.min(Date.parse(to), now);
  const begin = from === undefined ? end - usualSearchMs : Date.parse(from);
  if (begin > end) throw fieldRefusal("invalid_request", "from", "must be before to");
  if (end - begin > longestSearchMs)
    throw fieldRefusal("invalid_request", "from", "must be at most 24 hours before to");
  // The search begins at the integration's creation, because another integration may have had its name before.
  return { from: Math.max(begin, now - retentionMs(logRetention), Date.parse(createdAt)), to: end };
}
