import { expect, test } from "@jest/globals";
import { askedRange } from "../../../../console/pages/usage/asked-range.ts";
import { ledgerRange, rollupRange } from "../../../../domain/ledger/usage-range.ts";

const now = Date.parse("2026-11-24T10:30:00Z");
const month = { from: "2026-11-01", to: "2026-11-25" };

/** What somebody's hands make of the address. */
const wanted = [
  month,
  { from: "2026-11-24", to: "2026-11-25" },
  { from: "2026-11-20", to: "2026-11-10" },
  { from: "2026-11-20", to: "2026-11-20" },
  { from: "0002-11-01", to: "2026-11-25" },
  { from: "2001-01-31", to: "2026-11-30" },
  { from: "2026-01-01", to: "2026-01-05" },
  { from: "2031-01-01", to: "2031-01-05" },
  { from: "yesterday", to: "" },
  { from: "2026-02-31", to: "2026-13-01" },
];

test.each(wanted)("the usage page asks for a range that the API answers if $from to $to is chosen", (days) => {
  const read = ({ from, to }: { from: string; to: string }) => ({ from: Date.parse(from), to: Date.parse(to) });
  expect(() => rollupRange(read(askedRange(days, false, now, month)), now)).not.toThrow();
  expect(() => ledgerRange(read(askedRange(days, true, now, month)), now)).not.toThrow();
});

test("the usage page requests a range unchanged if the API accepts it", () => {
  expect(askedRange({ from: "2026-09-03", to: "2026-10-04" }, false, now, month)).toEqual({
    from: "2026-09-03",
    to: "2026-10-04",
  });
});

test("the usage page requests keys and sessions of the range's last day, but not of a day after today", () => {
  expect(askedRange({ from: "2026-11-01", to: "2026-11-11" }, true, now, month).from).toBe("2026-11-10");
  expect(askedRange({ from: "2026-11-01", to: "2026-12-01" }, true, now, month)).toEqual({
    from: "2026-11-24",
    to: "2026-11-25",
  });
});
