import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { alarmData } from "../../components/alarm-data.ts";
import { declaredAlarms, drawn, operationsFile, patternOf } from "../../docs/alarms.ts";

const page = readFileSync(operationsFile, "utf8");
test("docs/operations.md has a table of the alarms that the program declares: npm run docs:alarms", async () => {
  expect(drawn(page, await declaredAlarms())).toBe(page);
});

test("the data of alarms and the local stack have the same alarms", async () => {
  const declared = await declaredAlarms();
  expect(new Set(declared.map(patternOf))).toEqual(new Set(Object.keys(alarmData)));
});

test("an alarm that matches two patterns is counted once, and the price follows from the number", () => {
  const alarms = ["purge-schedule-dead-letters", "purge-jobs-dead-letters", "proxy-unsettled"];
  const table = drawn("", alarms);
  expect(table).toContain("| `<schedule>-schedule-dead-letters`: purge |");
  expect(table).toContain("| `<queue>-dead-letters`: purge-jobs |");
  expect(table).toContain("3 alarms, which cost 0.30 USD a month");
});
