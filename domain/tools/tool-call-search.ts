// The search for an integration's calls in the log. Tenant and integration are part of every query, and no text of the caller's is.
import * as z from "zod";
import { fieldRefusal } from "../kernel/refusal.ts";
import { type ToolCallOutcome, toolCallEvent, toolCallOutcomes } from "./tool-call.ts";

export const loggedCallSchema = z
  .object({
    at: z.iso.datetime().describe("When it ended"),
    caller: z.string().describe("The person's sub"),
    tool: z.string().describe("The tool's name, without the integration's"),
    arguments: z.array(z.string()).describe("Names of the arguments; values are not logged"),
    outcome: z
      .enum(toolCallOutcomes)
      .describe("`tool_error` is the tool's own, `failed` the gateway's or the server's"),
    ms: z.number().optional().describe("How long it took, if that is known"),
  })
  .meta({ id: "ToolCall", description: "A call of a tool" });

export type LoggedCall = z.output<typeof loggedCallSchema>;

export type ToolCallFilter = {
  tool?: string | undefined;
  caller?: string | undefined;
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
  /** @throws Refusal gateway_unavailable if the log does not answer in time */
  search(search: ToolCallSearch): Promise<LoggedCall[]>;
}

/** The longest time that one search covers, and the usual one. */
export const longestSearchMs = 24 * 3_600_000;
const usualSearchMs = 3_600_000;
/** The time for which the log keeps lines (components/lambda-function.ts). */
const keptMs = 30 * 24 * 3_600_000;
/** Logs Insights gives no more (AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html). */
const mostResults = 10_000;

/** The form of a name or an id in a query: no character that could end a text. */
const plainText = /^[\w.-]{1,256}$/;

/** The query in the language of Logs Insights. @throws Error if a text could be more than a text */
export function insightsQuery({ tenantId, target, tool, caller, outcome, limit }: ToolCallSearch): string {
  const parts = { event: toolCallEvent, tenant_id: tenantId, target, tool, caller, outcome };
  const filters = Object.entries(parts).flatMap(([name, text]) => {
    if (text === undefined) return [];
    if (!plainText.test(text)) throw new Error(`${name} is no plain text`);
    return [`${name} = "${text}"`];
  });
  return `fields @timestamp, @message | filter ${filters.join(" and ")} | sort @timestamp desc | limit ${limit}`;
}

/** The texts that a filter takes. */
export const filterText = z.string().regex(plainText, "must be 1 to 256 letters, digits, _ . -");

type Asked = { from?: string | undefined; to?: string | undefined; now: number; createdAt: string };

/** The time that is searched. @throws Refusal invalid_request */
export function searchTimes({ from, to, now, createdAt }: Asked): { from: number; to: number } {
  const end = to === undefined ? now : Math.min(Date.parse(to), now);
  const begin = from === undefined ? end - usualSearchMs : Date.parse(from);
  if (begin > end) throw fieldRefusal("invalid_request", "from", "must be before to");
  if (end - begin > longestSearchMs)
    throw fieldRefusal("invalid_request", "from", "must be at most 24 hours before to");
  // The search begins at the integration's creation, because another integration may have had its name before.
  return { from: Math.max(begin, now - keptMs, Date.parse(createdAt)), to: end };
}

/** A page's place: the end of the time that is searched, and how many calls were shown. */
export type SearchPlace = { to: number; shown: number };

/** @throws Refusal invalid_request */
export function placeOf(cursor: string | undefined, limit: number): SearchPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, to, shown] = /^(\d{13})#(\d{1,5})$/.exec(cursor) ?? [];
  if (to === undefined || shown === undefined) {
    throw fieldRefusal("invalid_request", "cursor", "must be the next_cursor of an earlier page");
  }
  if (Number(shown) + limit >= mostResults) {
    throw fieldRefusal("invalid_request", "cursor", `leads beyond ${mostResults} calls: search a shorter time`);
  }
  return { to: Number(to), shown: Number(shown) };
}

export function cursorAt({ to, shown }: SearchPlace): string {
  return `${to}#${shown}`;
}
