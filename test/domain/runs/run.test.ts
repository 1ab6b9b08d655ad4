import { expect, test } from "@jest/globals";
import { isLost, leaseEnd, type RunRecord, runIdAt, seenAt, startsBy } from "../../../domain/runs/run.ts";

const noon = Date.parse("2026-11-23T12:00:00.000Z");
const run: RunRecord = {
  ...{ tenant_id: "t", run_id: "r", skill: "s", version: 1, status: "queued", files: [], caller_id: "ann" },
  ...{ queued_at: new Date(noon).toISOString(), timeout_seconds: 60, network: "none", is_draft: false },
};

test("ids of runs are in the order of time, and are valid client tokens for AWS", () => {
  const id = "0b9d6c1e-2a3f-4d5e-8f90-a1b2c3d4e5f6";
  const ids = [0, noon, noon + 1, noon + 10 ** 11].map((now) => runIdAt(now, id));
  expect(ids.toSorted()).toEqual(ids);
  for (const one of ids) expect(one).toMatch(/^[a-z0-9]{41}$/);
});

test("a run that waited for too long, or whose time is over, is shown as lost even before that is recorded", () => {
  expect(seenAt(run, startsBy(run))).toBe(run);
  expect(seenAt(run, startsBy(run) + 1)).toMatchObject({
    status: "lost",
    reason: expect.stringContaining("not started"),
  });
  const running = { ...run, status: "running", started_at: new Date(noon + 1_000).toISOString() } as const;
  const end = noon + 1_000 + 150_000;
  expect(seenAt(running, end)).toBe(running);
  expect(seenAt(running, end + 1)).toMatchObject({
    status: "lost",
    reason: expect.stringContaining("lost it"),
  });
});

test("a run that has ended is never shown as lost", () => {
  for (const status of ["succeeded", "failed", "timed_out", "lost"] as const) {
    expect(isLost({ ...run, status }, leaseEnd(run) + 1)).toBe(false);
  }
});
