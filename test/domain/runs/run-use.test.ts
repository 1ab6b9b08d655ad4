import { describe, expect, test } from "@jest/globals";
import type { RunRecord } from "../../../domain/runs/run.ts";
import { leaseEnd } from "../../../domain/runs/run.ts";
import { useLimits } from "../../../domain/runs/run-limits.ts";
import { currentUse, type RunUse, withBegun, withoutRun, withRun } from "../../../domain/runs/run-use.ts";

const noon = Date.parse("2026-11-23T12:00:00.000Z");
const second = 1_000;

function aRun(id: string, at = noon, more: Partial<RunRecord> = {}): RunRecord {
  return {
    ...{ tenant_id: "t", run_id: id, skill: "s", version: 1, status: "queued", files: [], caller_id: "ann" },
    ...{ queued_at: new Date(at).toISOString(), timeout_seconds: 60, network: "none", is_draft: false },
    ...more,
  };
}

const withRuns = (count: number, more: Partial<RunRecord> = {}) =>
  Array.from({ length: count }, (_, place) => aRun(`r${place}`, noon, more)).reduce<RunUse | undefined>(
    (use, run) => withRun(use, run, noon),
    undefined,
  );

describe("a run", () => {
  test("a run takes a lease on the seconds of the day, and gives back those that it did not need", () => {
    const use = withRuns(1);
    expect(use).toMatchObject({ version: 1, seconds: 0, leases: { r0: { seconds: 60 } } });
    expect(withoutRun(use, aRun("r0", noon, { seconds: 4 }), noon)).toMatchObject({
      version: 2,
      seconds: 4,
      leases: {},
    });
  });

  test("a run gives back its lease only once", () => {
    const after = withoutRun(withRuns(1), aRun("r0", noon, { seconds: 4 }), noon);
    expect(withoutRun(after, aRun("r0", noon, { seconds: 4 }), noon)).toBeUndefined();
    expect(withoutRun(undefined, aRun("r0"), noon)).toBeUndefined();
  });

  test("a run is refused beside five others, until one of them or its lease has ended", () => {
    const use = withRuns(useLimits.atOnce);
    expect(() => withRun(use, aRun("more"), noon)).toThrow(
      expect.objectContaining({ code: "concurrency_limited", retryAfterSeconds: 5 }),
    );
    expect(() => withRun(withoutRun(use, aRun("r0"), noon), aRun("more"), noon)).not.toThrow();
    const later = leaseEnd(aRun("r0")) + 1;
    expect(Object.keys(withRun(use, aRun("more", later), later).leases)).toEqual(["more"]);
  });

  test("a run that has begun has a lease for its time limit, without the time that it might have waited", () => {
    const begun = aRun("r0", noon, { status: "running", started_at: new Date(noon + second).toISOString() });
    const use = withBegun(withRuns(2), begun, noon + second);
    expect(use).toMatchObject({ version: 3, calls: { ann: 2 } });
    expect(use.leases).toEqual({
      r0: { until: noon + 151 * second, seconds: 60 },
      r1: { until: leaseEnd(aRun("r1")), seconds: 60 },
    });
  });

  test("a run whose lease expired counts with its whole time limit", () => {
    expect(currentUse(withRuns(3), leaseEnd(aRun("r0")) + 1)).toMatchObject({ seconds: 180, leases: {} });
  });

  test("a run is refused if it could exceed the seconds of the day, which start at 0 the next day", () => {
    const full: RunUse = { version: 9, day: "2026-11-23", seconds: 3_541, leases: {}, minute: 0, calls: {} };
    expect(() => withRun(full, aRun("more"), noon)).toThrow(
      expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 12 * 3600 }),
    );
    expect(withRun({ ...full, seconds: 3_540 }, aRun("more"), noon)).toMatchObject({ version: 10 });
    const tomorrow = noon + 86_400 * second;
    expect(withRun(full, aRun("more", tomorrow), tomorrow)).toMatchObject({ day: "2026-11-24", seconds: 0 });
  });

  test("a run in progress counts towards the seconds of the day with its time limit", () => {
    const use = { ...(withRuns(4, { timeout_seconds: 300 }) as RunUse), seconds: 2_341 };
    expect(() => withRun(use, aRun("more"), noon)).toThrow(expect.objectContaining({ code: "rate_limited" }));
  });

  test("a person's 31st run in a minute is refused; another person's run is not, nor one in the next minute", () => {
    let use: RunUse | undefined;
    for (let place = 0; place < useLimits.ofMinute; place += 1) {
      const run = aRun(`r${place}`);
      use = withoutRun(withRun(use, run, noon), run, noon);
    }
    expect(() => withRun(use, aRun("more"), noon)).toThrow(
      expect.objectContaining({ code: "rate_limited", retryAfterSeconds: 60 }),
    );
    expect(() => withRun(use, aRun("more", noon, { caller_id: "bob" }), noon)).not.toThrow();
    expect(() => withRun(use, aRun("more"), noon + 60 * second)).not.toThrow();
  });
});
