import { expect, test } from "@jest/globals";
import { advanced, hoursDue, isComplete, progressFrom } from "../../../domain/ledger/metering-progress.ts";

const at = (time: string) => Date.parse(`${time}Z`);
const from = (next: string, waiting: string[] = []) => ({ next, waiting, version: 3 });

test("a tenant's month is metered from its first call, and never from before the month", () => {
  expect(progressFrom("2026-11", at("2026-11-21T05:59:00"))).toEqual({
    next: "2026-11-21T05",
    waiting: [],
    version: 0,
  });
  expect(progressFrom("2026-11", at("2026-10-31T23:59:59")).next).toBe("2026-11-01T00");
});

test("an hour is due for the meter if it waits, or if it ended more than five minutes ago and after the last run", () => {
  const progress = from("2026-11-21T05", ["2026-11-20T08"]);
  expect(hoursDue(progress, "2026-11", at("2026-11-21T07:04:59"))).toEqual(["2026-11-20T08", "2026-11-21T05"]);
  expect(hoursDue(progress, "2026-11", at("2026-11-21T07:05:00"))).toEqual([
    "2026-11-20T08",
    "2026-11-21T05",
    "2026-11-21T06",
  ]);
});

test("no hour is due for the meter before it is over, nor after the month's end", () => {
  expect(hoursDue(from("2026-11-21T05"), "2026-11", at("2026-11-21T05:59:00"))).toEqual([]);
  expect(hoursDue(from("2026-11-30T23"), "2026-11", at("2026-12-09T00:00:00"))).toEqual(["2026-11-30T23"]);
  expect(hoursDue(from("2026-12-01T00"), "2026-11", at("2026-12-09T00:00:00"))).toEqual([]);
});

test("the meter's next hour follows the last hour that it read, and hours that are still open keep waiting", () => {
  const progress = from("2026-11-21T05", ["2026-11-20T08", "2026-11-20T09"]);
  const looked = ["2026-11-20T08", "2026-11-20T09", "2026-11-21T05"];
  expect(advanced(progress, looked, ["2026-11-20T09"])).toEqual({
    next: "2026-11-21T06",
    waiting: ["2026-11-20T09"],
    version: 4,
  });
});

test("an hour that the meter has not read still waits", () => {
  const progress = from("2026-11-21T05", ["2026-11-20T08", "2026-11-20T09"]);
  expect(advanced(progress, ["2026-11-20T08"], [])).toEqual({
    ...from("2026-11-21T05", ["2026-11-20T09"]),
    version: 4,
  });
});

test("a month is complete once its last hour is closed and no hour waits", () => {
  expect(isComplete(from("2026-12-01T00"), "2026-11")).toBe(true);
  expect(isComplete(from("2026-11-30T23"), "2026-11")).toBe(false);
  expect(isComplete(from("2026-12-01T00", ["2026-11-20T08"]), "2026-11")).toBe(false);
});
