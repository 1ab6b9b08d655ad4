// The route of single calls, as data.
import * as z from "zod";
import { exportedPageQuery, pageSchema, wholeHour } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

const id = z.string().min(1, "must not be empty").max(256, "must have at most 256 characters").optional();

const count = z.int();
const part = z.number().optional();

const call = z
  .object({
    request_id: z.string().describe("The `request-id` of its answer"),
    caller_id: z.string().describe("The caller: a person's `user_id`, or a service account's `sa_...`"),
    key_id: z
      .string()
      .optional()
      .describe("Its API key; missing for a call with a token, and for one whose end nobody heard"),
    session_id: z.string().optional().describe("Its session, if the caller's tool names one"),
    agent_id: z.string().optional().describe("Its agent, if the caller's tool names one"),
    admitted_at: z.iso.datetime().describe("When it came"),
    settled_at: z.iso.datetime().describe("When its cost was booked"),
    model: z.string().describe("The model"),
    region: z.string().describe("The region from which the model was called"),
    source: z
      .enum(["final", "drained", "estimated"])
      .meta({ id: "UsageSource", description: "Where the usage of a call is known from" })
      .describe(
        "`final`: the model host told the usage. `drained`: it told it after the client had left. `estimated`: it never told all of it",
      ),
    is_provisional: z
      .boolean()
      .describe("True while it stands at upper bounds, since nobody heard its end; the true usage may still come"),
    on_credit: z.boolean().describe("Whether free credit paid it when it was admitted"),
    cost_usd: z.number().describe("At list price. The caller's budget paid it"),
    input_cost_usd: part.describe(
      "What of the cost is of input that no cache held; missing, like the next five, for a call at upper bounds",
    ),
    output_cost_usd: part.describe("What of it is of output"),
    cache_read_cost_usd: part.describe("What of it is of input that was read from the cache"),
    cache_write_5m_cost_usd: part.describe("What of it is of input that was written into the cache for five minutes"),
    cache_write_1h_cost_usd: part.describe("What of it is of input that was written into the cache for an hour"),
    saved_usd: part.describe("What caching saved; below zero if writing cost more than reading saved"),
    input_tokens: count.describe("Tokens of input that no cache held"),
    output_tokens: count.describe("Tokens of output"),
    cache_read_tokens: count.describe("Tokens of input that were read from the cache"),
    cache_write_5m_tokens: count.describe("Tokens of input that were written into the cache for five minutes"),
    cache_write_1h_tokens: count.describe("Tokens of input that were written into the cache for an hour"),
  })
  .meta({ id: "Call", description: "A settled call, without what was asked and answered" });

const aCall = {
  request_id: "0b7f1c1e-2b52-4a7c-9a3d-0f4a5f6b7c8d",
  caller_id: "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c",
  key_id: "4Tn9qXw2LbZc",
  session_id: "5c1d2f3e",
  admitted_at: "2026-11-21T05:00:00.000Z",
  settled_at: "2026-11-21T05:00:07.000Z",
  model: "claude-sonnet-4-6",
  region: "eu-central-1",
  source: "final",
  is_provisional: false,
  on_credit: false,
  cost_usd: 0.01422,
  input_cost_usd: 0.0018,
  output_cost_usd: 0.012,
  cache_read_cost_usd: 0.00042,
  cache_write_5m_cost_usd: 0,
  cache_write_1h_cost_usd: 0,
  saved_usd: 0.00378,
  input_tokens: 600,
  output_tokens: 800,
  cache_read_tokens: 1400,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
};

export const callRoutes = {
  listCalls: {
    method: "GET",
    path: "/v1/calls",
    access: "member",
    openers: ["control:read"],
    summary: "A day's settled calls without their content; for a developer, their own",
    query: exportedPageQuery({
      from: wholeHour
        .optional()
        .describe("A date or the beginning of an hour, UTC unless it names an offset; by default today's"),
      to: wholeHour.optional().describe("Likewise, and not within the range, which is a day at the most"),
      caller_id: id.describe("Only calls of this caller: a person's `user_id`, or a service account's `sa_...`"),
      key_id: id.describe("Only calls with this API key"),
      session_id: id.describe("Only calls of this session"),
      request_id: id.describe("Only the call of this `request-id`"),
    }),
    response: pageSchema(call),
    csv: Object.keys(call.shape),
    refusals: ["rate_limited"],
    example: { response: { data: [aCall] } },
  },
} as const satisfies Record<string, Route>;
