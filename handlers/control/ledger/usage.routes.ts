// The route of usage, as data.
import * as z from "zod";
import { hourMs } from "../../../domain/kernel/period.ts";
import { fields } from "../../../domain/kernel/validation.ts";
import { everyGrouping, type Grouping } from "../../../domain/ledger/usage-groups.ts";
import { listFormat, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

/** Rows of an answer: the maximum and the default. Lambda's answer has room for 6 MB. */
const limits = { json: { most: 1_000, usual: 50 }, csv: { most: 10_000, usual: 10_000 } } as const;

/** A date or an hour, read as milliseconds since the epoch. */
const usageTime = z.string().transform((text, context) => {
  const isTime = z.iso.date().safeParse(text).success || z.iso.datetime().safeParse(text).success;
  const time = isTime ? Date.parse(text) : Number.NaN;
  if (time % hourMs === 0) return time;
  const message = "must be a date such as 2026-11-21, or the beginning of an hour in UTC such as 2026-11-21T05:00:00Z";
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const isGrouping = (name: string): name is Grouping => everyGrouping.some((one) => one === name);

const groupBy = z.string().transform((text, context) => {
  const asked = text.split(",");
  const groups = asked.filter(isGrouping);
  if (groups.length === asked.length && new Set(groups).size === groups.length) return groups;
  const message = `must be some of ${everyGrouping.join(", ")}, each once, with commas between them`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const query = fields({
  from: usageTime.optional(),
  to: usageTime.optional(),
  group_by: groupBy.optional(),
  /** Only the usage of this caller: a person's sub, or a service account's `sa_...`. */
  caller_id: z.string().min(1, "must not be empty").max(255, "must have at most 255 characters").optional(),
  format: listFormat,
  limit: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, "must be a number from 1 on")
    .transform(Number)
    .optional(),
  cursor: z.string().max(2_048, "must be the next_cursor of an earlier page").optional(),
}).transform(({ group_by = [], limit, format, ...rest }, context) => {
  const { most, usual } = limits[format];
  if (limit !== undefined && limit > most) {
    context.addIssue({ code: "custom", path: ["limit"], message: `must be 1 to ${most}` });
  }
  return { ...rest, format, by: group_by, limit: limit ?? usual };
});

const count = z.int();

const usageRow = z.object({
  month: z.string().optional(),
  day: z.string().optional(),
  caller_id: z.string().optional(),
  model: z.string().optional(),
  agent_id: z.string().nullable().optional(),
  session_id: z.string().nullable().optional(),
  requests: count,
  /** Requests whose usage the model host never told. Their tokens are upper bounds, and some are corrected later. */
  estimated_requests: count,
  /** At list price. The callers' budgets paid it: estimated requests stand at their upper bounds. */
  cost_usd: z.number(),
  /** What an invoice has of it, before free credit and the platform's prices: of estimated requests only what is known. */
  billable_cost_usd: z.number(),
  /**
   * The part of `billable_cost_usd` that free credit paid, or will pay when an open hour is closed. Null by agent or session, where
   * that is not known.
   */
  credit_usd: z.number().nullable(),
  /** The rest times the markup of its month (`GET /v1/billing?month=`): what invoices have of it, before tax. 0 where nobody is billed. */
  billed_usd: z.number().nullable(),
  estimated_cost_usd: z.number(),
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_5m_tokens: count,
  cache_write_1h_tokens: count,
  /** Share of all prompt tokens that was read from the cache, 0 to 1; null without prompt tokens. */
  cached_share: z.number().nullable(),
});

export const usageRoutes = {
  getUsage: {
    method: "GET",
    path: "/v1/usage",
    access: "member",
    opener: "control:read",
    summary: "What the workspace used, by what is asked for; for a developer, their own",
    query,
    response: pageSchema(usageRow).extend({
      from: z.string(),
      to: z.string(),
      /** The answer counts what was settled until this time. */
      as_of: z.string(),
      /** The first hour that can still change; missing if all hours are closed. */
      open_since: z.string().optional(),
      /** False if the open hours hold more calls than one answer can count. */
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
            billable_cost_usd: 0.0129,
            credit_usd: 0.0029,
            billed_usd: 0.012,
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
