import { beforeEach, expect, test } from "@jest/globals";
import type { Context } from "aws-lambda";
import type { MeterDependencies } from "../../../handlers/meter/dependencies.ts";
import { meterHandler } from "../../../handlers/meter/handler.ts";
import type { LogLine } from "../../support/control-plane.ts";
import { FakeTime } from "../../support/fake-time.ts";
import { MemoryAccounting } from "../../support/memory-accounting.ts";

let lines: LogLine[];
let progress: string | undefined;
/** Breaks the store. */
let disturb: () => void;
beforeEach(() => {
  lines = [];
  progress = undefined;
  disturb = () => {};
});

/** The function over empty accounting at 05:50. */
function openMeter() {
  const [time, accounting] = [new FakeTime("2026-11-21T05:50:00.000Z"), new MemoryAccounting()];
  const dependencies: MeterDependencies = {
    proxyLog: async function* () {},
    activeCallers: async function* () {},
    spendingOf: async (key) => accounting.of(key),
    spending: accounting,
    ledger: accounting,
    rollups: { put: async () => {} },
    progress: {
      get: async () => {
        disturb();
        return progress;
      },
      advance: async (_from, to) => {
        progress = to;
      },
    },
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts, error) => void lines.push({ message, facts, error }),
    },
    clock: time.clock,
  };
  const handler = meterHandler(dependencies);
  return () => handler({ source: "aws.events", "detail-type": "Scheduled Event" }, {} as Context);
}

test("a scheduled event runs the meter up to the last hour that is over", async () => {
  await openMeter()();
  expect(progress).toBe("2026-11-21T04");
  expect(lines).toEqual([]);
});

test("a run that fails is logged with its cause, and fails for the schedule too", async () => {
  const cause = new Error("the store is down");
  disturb = () => {
    throw cause;
  };
  await expect(openMeter()()).rejects.toThrow("the store is down");
  expect(lines).toEqual([{ message: "The meter's run failed", facts: {}, error: cause }]);
});

test("the next run does what a failed one left", async () => {
  const run = openMeter();
  let broken = true;
  disturb = () => {
    if (broken) throw new Error("the store is down");
  };
  await expect(run()).rejects.toThrow();
  expect(progress).toBeUndefined();
  broken = false;
  await run();
  expect(progress).toBe("2026-11-21T04");
});
