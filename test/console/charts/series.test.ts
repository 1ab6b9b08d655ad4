import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { colourOf, others, series } from "../../../console/charts/series.ts";

const row = (at: string, entity: string, value: number) => ({ at, entity, value });

describe("the series of a chart", () => {
  test("the series of a chart have a value for each column, including days without usage, and the largest comes first", () => {
    const rows = [row("1", "a", 1), row("3", "a", 2), row("1", "b", 5), row("9", "b", 100)];
    expect(series(rows, ["1", "2", "3"])).toEqual([
      { entity: "b", values: [5, 0, 0], total: 5 },
      { entity: "a", values: [1, 0, 2], total: 3 },
    ]);
  });

  test("the series of a chart after the sixth are combined into one", () => {
    const rows = Array.from({ length: 9 }, (_, at) => row("1", `m${at}`, 10 - at));
    const made = series(rows, ["1"]);
    expect(made.map(({ entity }) => entity)).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", others]);
    expect(made.at(-1)?.total).toBe(4 + 3 + 2);
  });

  test("the series of a chart always add up to the rows of its columns", () => {
    const anyRow = fc.record({ at: fc.constantFrom("1", "2", "3", "x"), entity: fc.string(), value: fc.nat(1_000) });
    fc.assert(
      fc.property(fc.array(anyRow), fc.integer({ min: 1, max: 8 }), (rows, most) => {
        const wanted = rows.filter(({ at }) => at !== "x").reduce((sum, { value }) => sum + value, 0);
        const made = series(rows, ["1", "2", "3"], most);
        expect(made.reduce((sum, { total }) => sum + total, 0)).toBe(wanted);
        expect(made.length).toBeLessThanOrEqual(most + 1);
      }),
    );
  });
});

test("a chart's colour belongs to a name, not to its rank", () => {
  const known = ["opus", "haiku", "sonnet"];
  expect(known.map((entity) => colourOf(entity, known))).toEqual([2, 1, 3]);
  expect(known.map((entity) => colourOf(entity, known.toReversed()))).toEqual([2, 1, 3]);
  expect(colourOf(others, known)).toBe(0);
});
