// Routes of usage. Data only, nothing runs here.
import * as z from "zod";
import { pageSchema } from "../../domain/kernel/page.ts";
import { usageQuery } from "../../domain/ledger/usage-query.ts";
import type { Route } from "./routing/route.ts";

const count = z.int();

const usageRow = z.object({
  month: z.string().optional(),
  day: z.string().optional(),
  caller_id: z.string().optional(),
  model: z.string().optional(),
  agent_id: z.string().nullable().optional(),
  session_id: z.string().nullable().optional(),
  requests: count,
  /** Those whose usage the model host never said: they are booked at their bounds, and some of them still come down. */
  estimated_requests: count,
  cost_usd: z.number(),
  estimated_cost_usd: z.number(),
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_5m_tokens: count,
  cache_write_1h_tokens: count,
  /** The part of all prompt tokens that was read from the cache, 0 to 1; null without any. */
  cached_share: z.number().nullable(),
});

export const usageRoutes = {
  getUsage: {
    method: "GET",
    path: "/v1/usage",
    access: "member",
    summary: "What the workspace used, by what is asked for; for a developer, their own",
    query: usageQuery,
    status: 200,
    response: pageSchema(usageRow).extend({
      from: z.string(),
      to: z.string(),
      /** What was settled until then is counted. */
      as_of: z.string(),
      /** The first hour that can still change; none if all of it is closed. */
      open_since: z.string().optional(),
      /** False if the hours that are still open hold more than one answer can count. */
      complete: z.boolean(),
    }),
    csv: [...Object.keys(usageRow.shape), "as_of", "complete"],
    example: {
      response: {
        data: [
          {
            day: "2026-11-21",
            model: "claude-sonnet-4-6",
            requests: 3,
            estimated_requests: 0,
            cost_usd: 0.0129,
            estimated_cost_usd: 0,
            input_tokens: 600,
            output_tokens: 800,
            cache_read_tokens: 1400,
            cache_write_5m_tokens: 0,
            cache_write_1h_tokens: 0,
            cached_share: 0.7,
          },
        ],
        from: "2026-11-01T00:00:00.000Z",
        to: "2026-12-01T00:00:00.000Z",
        as_of: "2026-11-21T05:12:00.000Z",
        open_since: "2026-11-21T05:00:00.000Z",
        complete: true,
      },
    },
  },
} as const satisfies Record<string, Route>;
