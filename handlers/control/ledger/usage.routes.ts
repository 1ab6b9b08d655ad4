// The route of usage, as data.
import * as z from "zod";
import { fields } from "../../../domain/kernel/validation.ts";
import { everyGrouping } from "../../../domain/ledger/usage-groups.ts";
import { exportedLimit, listFormat, pageSchema, wholeHour } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

/** Rows of an answer: the maximum and the default. Lambda's answer has room for 6 MB. */
const limits = { json: { most: 1_000, usual: 50 }, csv: { most: 10_000, usual: 10_000 } } as const;

const groupsMessage = `must be some of ${everyGrouping.join(", ")}, each once, with commas between them`;

const grouping = z
  .enum(everyGrouping, { error: () => groupsMessage })
  .meta({ id: "Grouping", description: "A property by which usage is grouped" });

const groupBy = z.preprocess(
  (text) => (typeof text === "string" ? text.split(",") : text),
  z.array(grouping).refine((groups) => new Set(groups).size === groups.length, groupsMessage),
);

const query = fields({
  from: wholeHour
    .optional()
    .describe(
      "Start of the range: a date or a full hour, in UTC unless it has an offset. By default the start of this month",
    ),
  to: wholeHour
    .optional()
    .describe("End of the range, not included: a date or a full hour, in UTC unless it has an offset"),
  group_by: groupBy
    .optional()
    .describe(
      "Properties by which the usage is grouped: one row for each combination of their values. Without it the answer has one row",
    ),
  caller_id: z
    .string()
    .min(1, "must not be empty")
    .max(255, "must have at most 255 characters")
    .optional()
    .describe("Only the usage of this caller: a person's `user_id`, or a service account's `sa_...`"),
  totals: z
    .enum(["true", "false"], { error: () => "must be true or false" })
    .default("true")
    .transform((text) => text === "true")
    .describe("`false`: leave out `totals`. Computing them reads the whole range for each page"),
  format: listFormat,
  limit: exportedLimit(limits),
  cursor: z
    .string()
    .max(2_048, "must be the next_cursor of an earlier page")
    .optional()
    .describe("The `next_cursor` of an earlier page"),
}).transform(({ group_by = [], limit, format, ...rest }, context) => {
  const { most, usual } = limits[format];
  if (limit !== undefined && limit > most) {
    context.addIssue({ code: "custom", path: ["limit"], message: `must be 1 to ${most}` });
  }
  return { ...rest, format, by: group_by, limit: limit ?? usual };
});

const count = z.int();

const usageRow = z
  .object({
    month: z.string().optional().describe("The calendar month (UTC), e.g. `2026-11`, if usage is grouped by month"),
    day: z.string().optional().describe("The day (UTC), e.g. `2026-11-21`, if usage is grouped by day"),
    hour: z.string().optional().describe("The hour (UTC), e.g. `2026-11-21T05`, if usage is grouped by hour"),
    caller_id: z
      .string()
      .optional()
      .describe(
        "Id of the caller, if usage is grouped by caller: a person's `user_id`, or a service account's `sa_...`",
      ),
    model: z.string().optional().describe("The model, if usage is grouped by model"),
    key_id: z
      .string()
      .optional()
      .describe(
        "Id of the API key, if usage is grouped by key. Missing for calls with an access token, and for calls whose end was not recorded",
      ),
    agent_id: z
      .string()
      .optional()
      .describe("The agent, if usage is grouped by agent. Missing for calls whose tool names no agent"),
    session_id: z
      .string()
      .optional()
      .describe("The session, if usage is grouped by session. Missing for calls whose tool names no session"),
    requests: count.describe("Number of calls"),
    estimated_requests: count.describe(
      "Number of calls whose usage the model host did not report. Their tokens are upper bounds, and some are corrected later",
    ),
    cost_usd: z
      .number()
      .describe(
        "Cost at list price, in USD. It counts against the callers' budgets. A call with estimated usage counts with the most that it may have cost",
      ),
    billable_cost_usd: z
      .number()
      .describe(
        "Cost at list price that can be billed, in USD, before free credit and markup. Of calls with estimated usage only the known part counts. Calls that were made while the platform did not bill are not included",
      ),
    credit_usd: z
      .number()
      .optional()
      .describe(
        "The part of `billable_cost_usd` that free credit paid, or will pay when the hour of the call is closed. Missing if usage is grouped by agent or session, because it is not known for them",
      ),
    billed_usd: z
      .number()
      .optional()
      .describe(
        "Amount that invoices bill, in USD before tax: `billable_cost_usd` without `credit_usd`, times the month's `markup` (see `GET /v1/billing`). 0 if the platform does not bill. Missing whenever `credit_usd` is missing",
      ),
    estimated_cost_usd: z.number().describe("The part of `cost_usd` for calls with estimated usage"),
    input_cost_usd: z.number().describe("Cost of uncached input tokens, in USD"),
    output_cost_usd: z.number().describe("Cost of output tokens, in USD"),
    cache_read_cost_usd: z.number().describe("Cost of input tokens that were read from the cache, in USD"),
    cache_write_5m_cost_usd: z
      .number()
      .describe("Cost of input tokens that were written to the cache for five minutes, in USD"),
    cache_write_1h_cost_usd: z
      .number()
      .describe("Cost of input tokens that were written to the cache for one hour, in USD"),
    no_kind_cost_usd: z
      .number()
      .describe(
        "The part of `cost_usd` that belongs to no kind of token: calls with unknown usage, which count with an upper bound. `cost_usd` is the sum of this field and the five costs by kind",
      ),
    saved_usd: z
      .number()
      .optional()
      .describe(
        "Amount that caching saved, in USD: the price of the cached tokens as uncached input, less their actual cost. Negative if writing to the cache cost more than reading from it saved. Missing if no cost is known by kind of token",
      ),
    input_tokens: count.describe("Number of uncached input tokens"),
    output_tokens: count.describe("Number of output tokens"),
    cache_read_tokens: count.describe("Number of input tokens that were read from the cache"),
    cache_write_5m_tokens: count.describe("Number of input tokens that were written to the cache for five minutes"),
    cache_write_1h_tokens: count.describe("Number of input tokens that were written to the cache for one hour"),
    cached_share: z
      .number()
      .optional()
      .describe(
        "Share of prompt tokens that were read from the cache, from 0 to 1. Missing if there are no prompt tokens",
      ),
  })
  .meta({ id: "UsageRow", description: "Usage of one group" });

const usage = pageSchema(usageRow)
  .extend({
    totals: usageRow
      .optional()
      .describe(
        "Sum over the whole range. It is the same on each page, except for calls that are settled while the pages are read. Missing in CSV, with `totals=false`, and for a range that is too large for one answer",
      ),
    // A range may end in the year 10000, which no pattern of a time allows.
    from: z.string().meta({ format: "date-time", description: "Start of the range" }),
    to: z.string().meta({ format: "date-time", description: "End of the range, not included" }),
    as_of: z.iso.datetime().describe("Calls that were settled until this time are counted"),
    open_since: z.iso
      .datetime()
      .optional()
      .describe("The first hour whose figures can still change. Missing if all hours are closed"),
    complete: z
      .boolean()
      .describe("False if the hours that are not closed yet have more calls than one answer can count"),
  })
  .meta({ id: "Usage", description: "Usage in a range of time" });

const csv = [...Object.keys(usageRow.shape), "as_of", "complete"];

const aSum = {
  requests: 3,
  estimated_requests: 0,
  cost_usd: 0.01422,
  billable_cost_usd: 0.01422,
  credit_usd: 0.00222,
  billed_usd: 0.012,
  estimated_cost_usd: 0,
  input_cost_usd: 0.0018,
  output_cost_usd: 0.012,
  cache_read_cost_usd: 0.00042,
  cache_write_5m_cost_usd: 0,
  cache_write_1h_cost_usd: 0,
  no_kind_cost_usd: 0,
  saved_usd: 0.00378,
  input_tokens: 600,
  output_tokens: 800,
  cache_read_tokens: 1400,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  cached_share: 0.7,
};

const anExample = {
  response: {
    data: [{ day: "2026-11-21", model: "claude-sonnet-4-6", ...aSum }],
    totals: aSum,
    from: "2026-11-01T00:00:00.000Z",
    to: "2026-12-01T00:00:00.000Z",
    as_of: "2026-11-21T05:12:00.000Z",
    open_since: "2026-11-21T05:00:00.000Z",
    complete: true,
  },
};

export const usageRoutes = {
  getUsage: {
    method: "GET",
    path: "/v1/usage",
    access: "member",
    openers: ["control:read"],
    summary: "Get the workspace's usage, grouped as asked. A developer sees only their own usage",
    query,
    response: usage,
    csv,
    refusals: ["rate_limited"],
    example: anExample,
  },
  getTenantUsage: {
    method: "GET",
    path: "/v1/tenants/{id}/usage",
    access: "platform_reader",
    summary: "Get the usage of any workspace, as platform staff. The workspace's audit trail records each look",
    query,
    response: usage,
    csv,
    refusals: ["rate_limited"],
    example: { parameters: { id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d" }, ...anExample },
  },
} as const satisfies Record<string, Route>;
