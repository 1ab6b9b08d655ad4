import { describe, expect, test } from "@jest/globals";
import { ledgerRange, rollupRange, type UsageRange } from "../../../domain/ledger/usage-range.ts";

const now = Date.parse("2026-11-21T05:30:00Z");
const at = (time?: string) => (time === undefined ? undefined : Date.parse(time));
const shown = ({ from, to }: UsageRange) => [from, to].map((time) => new Date(time).toISOString().slice(0, 13));

describe("of rollups", () => {
  test.each([
    [undefined, undefined, "2026-11-01T00", "2026-12-01T00"],
    ["2026-10-15", undefined, "2026-10-15T00", "2026-12-01T00"],
    ["2027-01-15", undefined, "2027-01-15T00", "2027-02-01T00"],
    [undefined, "2026-10-15", "2026-10-01T00", "2026-10-15T00"],
    [undefined, "2026-11-01", "2026-10-01T00", "2026-11-01T00"],
    ["2024-10-31", "2026-11-30", "2024-10-31T00", "2026-11-30T00"],
  ])("a range of rollups from %s to %s is %s to %s", (from, to, ...range) => {
    expect(shown(rollupRange({ from: at(from), to: at(to) }, now))).toEqual(range);
  });

  test("a range of rollups has at most 25 months", () => {
    expect(() => rollupRange({ from: at("2024-10-31"), to: at("2026-12-02") }, now)).toThrow(/^to: .* 25 months/);
  });
});

describe("of the ledger", () => {
  test.each([
    [undefined, undefined, "2026-11-21T00", "2026-11-22T00"],
    ["2026-11-20T07:00:00Z", undefined, "2026-11-20T07", "2026-11-21T07"],
    [undefined, "2026-11-20", "2026-11-19T00", "2026-11-20T00"],
  ])("a range of the ledger from %s to %s is %s to %s", (from, to, ...range) => {
    expect(shown(ledgerRange({ from: at(from), to: at(to) }, now))).toEqual(range);
  });

  test("a range of the ledger has at most one day, within the last 45 days", () => {
    expect(() => ledgerRange({ from: at("2026-11-20"), to: at("2026-11-21T01:00:00Z") }, now)).toThrow(
      /^to: .* one day/,
    );
    expect(() => ledgerRange({ from: at("2026-10-07") }, now)).toThrow(/^from: .* 45 days/);
    expect(ledgerRange({ from: at("2026-10-08") }, now)).toBeDefined();
  });
});
