// A row of usage as points of a chart: by an entity, or by the kinds of token, whose parts add up to the row's cost.
import type { UsageRow as Point } from "./series.ts";

export const metrics = { cost: "Cost", requests: "Requests", tokens: "Tokens" } as const;
export type Metric = keyof typeof metrics;

export const dimensions = ["model", "caller", "key", "session", "kind"] as const;
export type Dimension = (typeof dimensions)[number];

export type Usage = {
  model?: string | undefined;
  caller_id?: string | undefined;
  key_id?: string | undefined;
  session_id?: string | undefined;
  requests: number;
  cost_usd: number;
  input_cost_usd: number;
  output_cost_usd: number;
  cache_read_cost_usd: number;
  cache_write_5m_cost_usd: number;
  cache_write_1h_cost_usd: number;
  no_kind_cost_usd: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_5m_tokens: number;
  cache_write_1h_tokens: number;
};

type Kinds = Record<string, (row: Usage) => number>;

export const tokenKinds = {
  Input: (row) => row.input_tokens,
  Output: (row) => row.output_tokens,
  "Cache read": (row) => row.cache_read_tokens,
  "Cache written": (row) => row.cache_write_5m_tokens + row.cache_write_1h_tokens,
} satisfies Kinds;

/** The kind of a cost that no kind of token has: it is of usage before kinds had costs, or stands at an upper bound. */
export const unknownKind = "Kind not known";

export const costKinds = {
  Input: (row) => row.input_cost_usd,
  Output: (row) => row.output_cost_usd,
  "Cache read": (row) => row.cache_read_cost_usd,
  "Cache written": (row) => row.cache_write_5m_cost_usd + row.cache_write_1h_cost_usd,
  [unknownKind]: (row) => row.no_kind_cost_usd,
} satisfies Kinds;

const measure: Record<Metric, (row: Usage) => number> = {
  cost: (row) => row.cost_usd,
  requests: (row) => row.requests,
  tokens: (row) => Object.values(tokenKinds).reduce((sum, of) => sum + of(row), 0),
};

/** The value of a whole row. */
export const measured = (row: Usage, metric: Metric) => measure[metric](row);

const entityOf: Record<Exclude<Dimension, "kind">, (row: Usage) => string> = {
  model: ({ model }) => model ?? "",
  caller: ({ caller_id }) => caller_id ?? "",
  key: ({ key_id }) => key_id ?? "",
  session: ({ session_id }) => session_id ?? "",
};

/** @param at the row's time. A request has no kind of token, so kinds of requests are those of their tokens. */
export function pointsOf(row: Usage, at: string, by: Dimension, metric: Metric): Point[] {
  if (by !== "kind") return [{ at, entity: entityOf[by](row), value: measured(row, metric) }];
  const kinds: Kinds = metric === "cost" ? costKinds : tokenKinds;
  return Object.entries(kinds).flatMap(([entity, of]) => {
    const value = of(row);
    return entity === unknownKind && value === 0 ? [] : [{ at, entity, value }];
  });
}
