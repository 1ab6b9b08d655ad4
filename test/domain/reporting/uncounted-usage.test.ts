import { beforeEach, expect, test } from "@jest/globals";
import { uncountedUsage } from "../../../domain/reporting/uncounted-usage.ts";
import type { LogLine } from "../../support/control-plane.ts";

const event = { id: "evt_1", type: "v1.billing.meter.error_report_triggered" };

let doubted: string[];
let alarms: string[];
let lines: LogLine[];
let usage: ReturnType<typeof uncountedUsage>;
beforeEach(() => {
  [doubted, alarms, lines] = [[], [], []];
  usage = uncountedUsage({
    outbox: {
      reopen: async (identifier) => {
        doubted.push(identifier);
        return identifier !== "usage-other-2026-11-21T05";
      },
    },
    telemetry: { unbilled: (reason) => void alarms.push(reason) },
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts, error) => void lines.push({ message, facts, error }),
    },
  });
});

test("reports that the provider names are opened again, each once, and raise an alarm", async () => {
  const identifiers = ["usage-t1-2026-11-21T05", "usage-t1-2026-11-21T06", "usage-t1-2026-11-21T05"];
  await usage.found([{ code: "meter_event_customer_not_found", count: 3, identifiers }], event);
  expect(doubted).toEqual(["usage-t1-2026-11-21T05", "usage-t1-2026-11-21T06"]);
  expect(alarms).toEqual(["not_counted"]);
  expect(lines[0]).toMatchObject({ facts: { event_id: "evt_1", codes: ["meter_event_customer_not_found"] } });
});

test("an error report without samples raises the alarm too", async () => {
  await usage.found([], { ...event, type: "v1.billing.meter.no_meter_found" });
  expect([doubted, alarms]).toEqual([[], ["not_counted"]]);
});

test("an identifier that is no report's is logged, and no row is looked for by what it says", async () => {
  await usage.found([{ code: "no_meter", count: 2, identifiers: ["x", "usage-other-2026-11-21T05"] }], event);
  expect(doubted).toEqual(["usage-other-2026-11-21T05"]);
  expect(lines.slice(1).map(({ message }) => message)).toEqual(
    Array(2).fill("Usage that was not counted is no report of this stack"),
  );
});
