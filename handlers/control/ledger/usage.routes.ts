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
  .meta({ id: "Grouping", description: "By what usage is told apart" });

const groupBy = z.preprocess(
  (text) => (typeof text === "string" ? text.split(",") : text),
  z.array(grouping).refine((groups) => new Set(groups).size === groups.length, groupsMessage),
);

const query = fields({
  from: wholeHour
    .optional()
    .describe("A date or the beginning of an hour, UTC unless it names an offset; by default this month's"),
  to: wholeHour.optional().describe("Likewise, and not within the range"),
  group_by: groupBy.optional().describe("A row for each of these; one row for all without it"),
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
    .describe("`false`: without the sum of the whole range, for which each page reads all of it"),
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
    month: z.string().optional().describe("The calendar month (UTC), e.g. `2026-11`, if asked for"),
    day: z.string().optional().describe("The day (UTC), e.g. `2026-11-21`, if asked for"),
    hour: z.string().optional().describe("The hour (UTC), e.g. `2026-11-21T05`, if asked for"),
    caller_id: z.string().optional().describe("The caller, if asked for: a `user_id` or a service account's `sa_...`"),
    model: z.string().optional().describe("The model, if asked for"),
    key_id: z
      .string()
      .optional()
      .describe("The API key, if asked for; missing for calls with a token and without a record"),
    agent_id: z.string().optional().describe("The agent, if asked for; missing for calls whose tool names none"),
    session_id: z.string().optional().describe("The session, if asked for; missing for calls whose tool names none"),
    requests: count.describe("Requests"),
    estimated_requests: count.describe(
      "Requests whose usage the model host never told. Their tokens are upper bounds, and some are corrected later",
    ),
    cost_usd: z
      .number()
      .describe("At list price. The callers' budgets paid it: estimated requests stand at their upper bounds"),
    billable_cost_usd: z
      .number()
      .describe(
        "What an invoice has of it, before free credit and the platform's prices: of estimated requests only what is known, and nothing of " +
          "what was called while the platform billed nobody",
      ),
    credit_usd: z
      .number()
      .optional()
      .describe(
        "The part of `billable_cost_usd` that free credit paid, or will pay when an open hour is closed. Missing by agent or session, " +
          "where that is not known",
      ),
    billed_usd: z
      .number()
      .optional()
      .describe(
        "The rest times the markup of its month (`GET /v1/billing?month=`): what invoices have of it, before tax. 0 where nobody is " +
          "billed, missing like `credit_usd`",
      ),
    estimated_cost_usd: z.number().describe("What of the cost belongs to estimated requests"),
    input_cost_usd: z.number().describe("What of the cost is of input that no cache held"),
    output_cost_usd: z.number().describe("What of it is of output"),
    cache_read_cost_usd: z.number().describe("What of it is of input that was read from the cache"),
    cache_write_5m_cost_usd: z
      .number()
      .describe("What of it is of input that was written into the cache for five minutes"),
    cache_write_1h_cost_usd: z.number().describe("What of it is of input that was written into the cache for an hour"),
    no_kind_cost_usd: z
      .number()
      .describe(
        "The part of the cost that belongs to no kind of token: calls whose usage is not known and that are counted at their upper bounds. " +
          "With the five above it adds up to `cost_usd`",
      ),
    saved_usd: z
      .number()
      .optional()
      .describe(
        "What caching saved: what its prompts would have cost more at the price of input. Below zero if writing into the cache cost more " +
          "than reading saved. Without the cost of no kind, and missing if all of the cost is that",
      ),
    input_tokens: count.describe("Tokens of input that no cache held"),
    output_tokens: count.describe("Tokens of output"),
    cache_read_tokens: count.describe("Tokens of input that were read from the cache"),
    cache_write_5m_tokens: count.describe("Tokens of input that were written into the cache for five minutes"),
    cache_write_1h_tokens: count.describe("Tokens of input that were written into the cache for an hour"),
    cached_share: z
      .number()
      .optional()
      .describe("Share of all prompt tokens that was read from the cache, 0 to 1; missing without prompt tokens"),
  })
  .meta({ id: "UsageRow", description: "What was used, in one group" });

const usage = pageSchema(usageRow)
  .extend({
    totals: usageRow
      .optional()
      .describe(
        "The sum of the whole range, on each page the same but for what was settled in between. Missing in a file, and if the range holds more than one answer can read",
      ),
    // A range may end in the year 10000, which no pattern of a time allows.
    from: z.string().meta({ format: "date-time", description: "The beginning of the range" }),
    to: z.string().meta({ format: "date-time", description: "The end of the range, not within it" }),
    as_of: z.iso.datetime().describe("The answer counts what was settled until this time"),
    open_since: z.iso
      .datetime()
      .optional()
      .describe("The first hour that can still change; missing if all hours are closed"),
    complete: z.boolean().describe("False if the open hours hold more calls than one answer can count"),
  })
  .meta({ id: "Usage", description: "What was used in a range of time" });

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
    summary: "What the workspace used, by what is asked for; for a developer, their own",
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
    summary: "What a workspace used, for the platform's people; its trail has who looked",
    query,
    response: usage,
    csv,
    refusals: ["rate_limited"],
    example: { parameters: { id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d" }, ...anExample },
  },
} as const satisfies Record<string, Route>;
