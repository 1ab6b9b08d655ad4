// The route of single calls, as data.
import * as z from "zod";
import { exportedPageQuery, pageSchema, wholeHour } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

const id = z.string().min(1, "must not be empty").max(256, "must have at most 256 characters").optional();

const count = z.int();
const part = z.number().optional();

const call = z
  .object({
    request_id: z.string().describe("The `request-id` of the call's answer"),
    caller_id: z.string().describe("Id of the caller: a person's `user_id`, or a service account's `sa_...`"),
    key_id: z
      .string()
      .optional()
      .describe(
        "Id of the API key. Missing for a call with an access token, and for a call whose end was not recorded",
      ),
    session_id: z.string().optional().describe("Session of the call. Missing if the caller's tool names no session"),
    agent_id: z.string().optional().describe("Agent that made the call. Missing if the caller's tool names no agent"),
    admitted_at: z.iso.datetime().describe("When the call was admitted"),
    settled_at: z.iso.datetime().describe("When the call's cost was booked"),
    model: z.string().describe("The model that was called"),
    region: z.string().describe("Region in which the model was called"),
    source: z
      .enum(["final", "drained", "estimated"])
      .meta({ id: "UsageSource", description: "How the usage of a call is known" })
      .describe(
        "`final`: the model host reported the usage. `drained`: the model host reported it after the client had disconnected. `estimated`: the model host did not report all of it",
      ),
    is_provisional: z
      .boolean()
      .describe(
        "True while the call's end was not recorded. The call then counts with the most that it may have cost, until its usage is known",
      ),
    on_credit: z.boolean().describe("Whether the call was admitted on free credit"),
    cost_usd: z.number().describe("Cost at list price, in USD. It counts against the caller's budget"),
    input_cost_usd: part.describe(
      "Cost of uncached input tokens, in USD. This and the other costs by kind are missing while only an upper bound of the call's cost is known",
    ),
    output_cost_usd: part.describe("Cost of output tokens, in USD"),
    cache_read_cost_usd: part.describe("Cost of input tokens that were read from the cache, in USD"),
    cache_write_5m_cost_usd: part.describe(
      "Cost of input tokens that were written to the cache for five minutes, in USD",
    ),
    cache_write_1h_cost_usd: part.describe("Cost of input tokens that were written to the cache for one hour, in USD"),
    saved_usd: part.describe(
      "Amount that caching saved, in USD. Negative if writing to the cache cost more than reading from it saved",
    ),
    input_tokens: count.describe("Number of uncached input tokens"),
    output_tokens: count.describe("Number of output tokens"),
    cache_read_tokens: count.describe("Number of input tokens that were read from the cache"),
    cache_write_5m_tokens: count.describe("Number of input tokens that were written to the cache for five minutes"),
    cache_write_1h_tokens: count.describe("Number of input tokens that were written to the cache for one hour"),
  })
  .meta({ id: "Call", description: "A settled call, without its prompt and answer" });

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
    summary:
      "List the settled calls of at most one day, without prompts and answers. A developer sees only their own calls",
    query: exportedPageQuery({
      from: wholeHour
        .optional()
        .describe(
          "Start of the range: a date or a full hour, in UTC unless it has an offset. By default the start of today",
        ),
      to: wholeHour
        .optional()
        .describe(
          "End of the range, not included: a date or a full hour, in UTC unless it has an offset. The range is one day at most",
        ),
      caller_id: id.describe("Only calls of this caller: a person's `user_id`, or a service account's `sa_...`"),
      key_id: id.describe("Only calls with this API key"),
      session_id: id.describe("Only calls of this session"),
      request_id: id.describe("Only the call with this `request-id`"),
    }),
    response: pageSchema(call),
    csv: Object.keys(call.shape),
    refusals: ["rate_limited"],
    example: { response: { data: [aCall] } },
  },
} as const satisfies Record<string, Route>;
