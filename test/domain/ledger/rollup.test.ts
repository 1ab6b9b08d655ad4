import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { RollupGroups, type Totals } from "../../../domain/ledger/rollup.ts";
import { type Grouping, groupings } from "../../../domain/ledger/usage-groups.ts";
import { usageBy } from "../../support/accounting/usage-by.ts";

const count = fc.nat({ max: 1_000_000 });
const row: fc.Arbitrary<LedgerRow> = fc.record({
  tenant_id: fc.constant("t1"),
  caller_id: fc.constantFrom("dev", "sa_1", "a#b", '["x"]'),
  request_id: fc.uuid(),
  admitted_at: fc.constant("2026-11-21T05:00:00.000Z"),
  settled_at: fc.constant("2026-11-21T05:00:09.000Z"),
  model: fc.constantFrom("claude-sonnet-5", "claude-haiku-4-5"),
  profile: fc.constantFrom("eu.x", "global.x"),
  region: fc.constant("eu-central-1"),
  usage: fc.record({ input: count, output: count, cache_read: count, cache_write_5m: count, cache_write_1h: count }),
  cost: fc.nat({ max: 1_000_000_000 }),
  parts: fc.option(
    fc.record({
      ...{ input: count, output: count, cache_read: count, cache_write_5m: count, cache_write_1h: count },
      saved: fc.integer({ min: -1_000, max: 1_000 }),
    }),
    { nil: undefined },
  ),
  known: fc.option(fc.record({ cost: count, tokens: count }), { nil: undefined }),
  source: fc.constantFrom("final" as const, "drained" as const, "estimated" as const),
  version: fc.constant(0),
  on_platform: fc.option(fc.constant(true as const), { nil: undefined }),
});

function rollupsOf(tenantId: string, hour: string, rows: readonly LedgerRow[]) {
  const groups = new RollupGroups();
  for (const each of rows) groups.add(each);
  return groups.rollups(tenantId, hour);
}

const hasUsed = ({ cost, usage }: LedgerRow) => cost > 0 || Object.values(usage).some((tokens) => tokens > 0);

function sumOf(rows: readonly LedgerRow[]): Totals {
  const sum = (of: (row: LedgerRow) => number) => rows.reduce((total, each) => total + of(each), 0);
  return {
    requests: rows.filter(hasUsed).length,
    estimated_requests: sum((row) => Number(row.source === "estimated" && hasUsed(row))),
    cost: sum(({ cost }) => cost),
    billable_cost: sum((row) => (hasUsed(row) && !row.on_platform ? (row.known?.cost ?? row.cost) : 0)),
    unbilled_cost: sum((row) => (hasUsed(row) && row.on_platform ? (row.known?.cost ?? row.cost) : 0)),
    credit: 0,
    estimated_cost: sum(({ source, cost }) => (source === "estimated" ? cost : 0)),
    input_cost: sum((row) => (hasUsed(row) ? (row.parts?.input ?? 0) : 0)),
    output_cost: sum((row) => (hasUsed(row) ? (row.parts?.output ?? 0) : 0)),
    cache_read_cost: sum((row) => (hasUsed(row) ? (row.parts?.cache_read ?? 0) : 0)),
    cache_write_5m_cost: sum((row) => (hasUsed(row) ? (row.parts?.cache_write_5m ?? 0) : 0)),
    cache_write_1h_cost: sum((row) => (hasUsed(row) ? (row.parts?.cache_write_1h ?? 0) : 0)),
    saved: sum((row) => (hasUsed(row) ? (row.parts?.saved ?? 0) : 0)),
    input: sum(({ usage }) => usage.input),
    output: sum(({ usage }) => usage.output),
    cache_read: sum(({ usage }) => usage.cache_read),
    cache_write_5m: sum(({ usage }) => usage.cache_write_5m),
    cache_write_1h: sum(({ usage }) => usage.cache_write_1h),
  };
}

const hours = ["2026-10-31T23", "2026-11-01T00", "2026-11-21T05", "2026-11-21T06"];
const ledger = fc.array(fc.tuple(fc.constantFrom(...hours), row), { maxLength: 40 });

test("rollups add up to the ledger, however they are grouped", () => {
  fc.assert(
    fc.property(ledger, fc.subarray([...groupings]), (ledger, by) => {
      const rollups = hours.flatMap((hour) =>
        rollupsOf(
          "t1",
          hour,
          ledger.filter(([of]) => of === hour).map(([, each]) => each),
        ),
      );
      const groups = usageBy(rollups, by as Grouping[]);
      const labels = groups.map(({ caller_id, model, hour, day, month }) =>
        [month, day, hour, caller_id, model].join(" "),
      );
      expect(new Set(labels).size).toBe(groups.length);
      for (const { caller_id, model, hour: ofHour, day, month, ...totals } of groups) {
        const members = ledger.filter(
          ([hour, each]) =>
            (ofHour === undefined || hour === ofHour) &&
            (caller_id === undefined || each.caller_id === caller_id) &&
            (model === undefined || each.model === model) &&
            (day === undefined || hour.startsWith(day)) &&
            (month === undefined || hour.startsWith(month)),
        );
        expect(totals).toMatchObject(sumOf(members.map(([, each]) => each)));
      }
      expect(groups.reduce((sum, { requests }) => sum + requests, 0)).toBe(
        ledger.filter(([, each]) => hasUsed(each)).length,
      );
    }),
  );
});

test("computing an hour's rollups again, from the rows in any order, changes nothing", () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const sorted = (rows: readonly LedgerRow[]) =>
        rollupsOf("t1", "2026-11-21T05", rows).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      expect(sorted(rows.toReversed())).toEqual(sorted(rows));
    }),
  );
});

describe("groups", () => {
  test("groups of usage are sorted, and have exactly the requested names", () => {
    const [example] = fc.sample(row, { numRuns: 1, seed: 7 });
    const at = (hour: string, changes: Partial<LedgerRow>) =>
      rollupsOf("t1", hour, [{ ...(example as LedgerRow), ...changes }]);
    const rollups = [
      ...at("2026-11-21T06", { caller_id: "b" }),
      ...at("2026-10-31T23", { caller_id: "b" }),
      ...at("2026-11-21T05", { caller_id: "a" }),
    ];
    expect(usageBy(rollups, ["day", "caller"]).map(({ day, caller_id }) => [day, caller_id])).toEqual([
      ["2026-10-31", "b"],
      ["2026-11-21", "a"],
      ["2026-11-21", "b"],
    ]);
    expect(Object.keys(usageBy(rollups, ["month"])[0] ?? {})).not.toContain("caller_id");
  });

  test("rollups count no request that the model host did not bill", () => {
    const [example] = fc.sample(row, { numRuns: 1, seed: 7 });
    const usage = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
    const refused: LedgerRow = { ...(example as LedgerRow), usage, cost: 0, source: "final" };
    const [rollup] = rollupsOf("t1", "2026-11-21T05", [refused]);
    expect(rollup).toMatchObject({ ...usage, cost: 0, requests: 0, estimated_requests: 0 });
    expect(usageBy(rollup ? [rollup] : [], ["model"])).toEqual([]);
    const used = rollupsOf("t1", "2026-11-21T05", [refused, { ...refused, usage: { ...usage, input: 3 } }]);
    expect(used).toMatchObject([{ input: 3, requests: 1 }]);
  });

  test("an hour without usage has no groups", () => {
    expect(usageBy([], [])).toEqual([]);
    expect(rollupsOf("t1", "2026-11-21T05", [])).toEqual([]);
  });
});
