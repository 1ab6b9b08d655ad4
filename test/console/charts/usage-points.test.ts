import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Dimension, type Metric, measured, pointsOf, type Usage } from "../../../console/charts/usage-points.ts";

const part = fc.nat({ max: 1_000_000 });
const row: fc.Arbitrary<Usage> = fc
  .record({
    model: fc.constant("claude-sonnet-5"),
    caller_id: fc.constant("ann"),
    key_id: fc.constantFrom("k1", undefined),
    requests: part,
    ...{ input_cost_usd: part, output_cost_usd: part, cache_read_cost_usd: part },
    ...{ cache_write_5m_cost_usd: part, cache_write_1h_cost_usd: part, no_kind_cost_usd: part },
    ...{ input_tokens: part, output_tokens: part, cache_read_tokens: part },
    ...{ cache_write_5m_tokens: part, cache_write_1h_tokens: part },
  })
  .map((one) => ({
    ...one,
    cost_usd:
      one.input_cost_usd +
      one.output_cost_usd +
      one.cache_read_cost_usd +
      one.cache_write_5m_cost_usd +
      one.cache_write_1h_cost_usd +
      one.no_kind_cost_usd,
  }));

const at = "2026-11-21";
const sumOf = (row: Usage, by: Dimension, metric: Metric) =>
  pointsOf(row, at, by, metric).reduce((sum, { value }) => sum + value, 0);

describe("a row's points", () => {
  test("a row's points by kind of token add up to its cost and its tokens", () => {
    fc.assert(
      fc.property(row, (row) => {
        expect(sumOf(row, "kind", "cost")).toBe(row.cost_usd);
        expect(sumOf(row, "kind", "tokens")).toBe(measured(row, "tokens"));
        expect(sumOf(row, "kind", "requests")).toBe(measured(row, "tokens"));
      }),
    );
  });

  test("a row without kinds of token has one point with the whole value", () => {
    fc.assert(
      fc.property(
        row,
        fc.constantFrom<Dimension>("model", "caller", "key", "session"),
        fc.constantFrom<Metric>("cost", "requests", "tokens"),
        (row, by, metric) => {
          const entity = { model: row.model, caller: row.caller_id, key: row.key_id ?? "", session: "", kind: "" }[by];
          expect(pointsOf(row, at, by, metric)).toEqual([{ at, entity, value: measured(row, metric) }]);
        },
      ),
    );
  });
});
