// A run is carried out at most once, whatever happens to the function that does it: here it dies before and after each of its calls, and the queue
// brings the job again.
import { beforeEach, describe, expect, test } from "@jest/globals";
import { leaseEnd, type RunJob, type RunRecord } from "../../../domain/runs/run.ts";
import { carryOutRun, type RunExecutionDependencies } from "../../../domain/runs/run-execution.ts";
import type { RunStore } from "../../../domain/runs/run-store.ts";
import { currentUse, type RunUse, withRun } from "../../../domain/runs/run-use.ts";
import { SandboxUnavailable, type Session } from "../../../domain/runs/sandbox.ts";
import { places } from "../../../domain/runs/session-script.ts";
import { approvalOf } from "../../../domain/skills/approval.ts";
import { memoryRunObjects } from "../../support/skills/memory-objects.ts";
import { folder, scriptSkill } from "../../support/skills/skill-files.ts";

const start = Date.parse("2026-11-23T12:00:00.000Z");
const job: RunJob = { tenant_id: "t", skill: "weekly-report", run_id: "r1" };

class Killed extends Error {}

let now: number;
let run: RunRecord;
let use: RunUse | undefined;
let effects: number;
let sessions: { runId: string; isReady: boolean }[];
let lines: RunRecord[];
let problems: string[];
/** The call before or after which the function dies; afterwards none of its calls has an effect. */
let death: { call: number; when: "before" | "after" } | undefined;
let calls: string[];
let dead: boolean;
let files: Record<string, string>;
/** What the task says when it is asked for the nth time. */
let tasks: boolean[];
/** The version that is approved when the run begins. */
let approvedVersion: number | undefined;

beforeEach(() => {
  now = start;
  run = {
    ...{
      tenant_id: "t",
      run_id: "r1",
      skill: "weekly-report",
      version: 1,
      status: "queued",
      files: [],
      caller_id: "ann",
    },
    ...{ queued_at: new Date(start).toISOString(), timeout_seconds: 60, network: "none", is_draft: false },
  };
  use = withRun(undefined, run, start);
  [effects, sessions, lines, problems, calls, dead] = [0, [], [], [], [], false];
  death = undefined;
  tasks = [false, true];
  approvedVersion = 1;
  files = {
    [places.code]: "0\n",
    [places.output]: "the token is s3cret-value",
    [places.stderr]: "",
    [places.files]: "6 a.txt\n",
    [`${places.outputs}/a.txt`]: "s3cret",
  };
});

/** Each of a function's calls to the outside, at which it may die. */
function mortal<T extends object>(name: string, part: T): T {
  return new Proxy(part, {
    get(target, method: string) {
      const original = target[method as keyof T] as unknown;
      if (typeof original !== "function") return original;
      return async (...given: unknown[]) => {
        if (dead) throw new Killed();
        calls.push(`${name}.${method}`);
        const isHere = calls.length === death?.call;
        if (isHere && death?.when === "before") dead = true;
        if (dead) throw new Killed();
        const answer = await original.apply(target, given);
        if (isHere) dead = true;
        if (dead) throw new Killed();
        return answer;
      };
    },
  });
}

function dependencies(change: Partial<RunExecutionDependencies> = {}): RunExecutionDependencies {
  const session = (kept: { isReady: boolean }): Session => ({
    write: async () => {},
    async start() {
      effects += 1;
      return "task";
    },
    isOver: async () => tasks.shift() ?? true,
    end: async () => {},
    read: async (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
    async stop() {
      kept.isReady = false;
    },
  });
  const runs: RunStore = {
    get: async () => run,
    list: async () => ({ items: [run], next: undefined }),
    use: async () => use,
    async write(changed, from, changedUse) {
      if (run.status !== from || (changedUse && changedUse.version !== (use?.version ?? 0) + 1)) return false;
      [run, use] = [changed, changedUse ?? use];
      return true;
    },
  };
  const objects = memoryRunObjects();
  void objects.putInput({ tenantId: "t", skill: "weekly-report", id: "r1" }, { input: {} });
  const content = folder(scriptSkill());
  const version = {
    ...{ name: "weekly-report", version: 1, content_id: "c", author: "ann" },
    run: { path: "scripts/report.py" },
  };
  const set_at = new Date(start).toISOString();
  const environment = {
    ...{ TOKEN: { secret: "JIRA", set_by: "ann", set_at }, MODE: { value: "short", set_by: "ann", set_at } },
    DB_URL: { value: "db", set_by: "olga", set_at },
  };
  const secret = {
    ...{ tenant_id: "t", name: "JIRA", secret_id: "s1", value_id: "v1", set_by: "ann", created_by: "ann" },
    ...{ created_at: set_at, updated_at: set_at, revision: 1, sealed: "x" },
  };
  const approved = { tenant_id: "t", name: "weekly-report", env: environment, approved_by: "olga" };
  const approval =
    approvedVersion === undefined ? undefined : approvalOf({ ...approved, version: approvedVersion }, [secret]);
  return {
    runs: mortal("runs", runs),
    skills: mortal("skills", {
      get: async () => ({ name: "weekly-report" }) as never,
      version: async () => version as never,
    }),
    environments: mortal("environments", { of: async () => environment }),
    approvals: mortal("approvals", { of: async () => approval }),
    secrets: mortal("secrets", { get: async () => secret }),
    opener: mortal("opener", { open: async () => "s3cret-value" }),
    contents: mortal("contents", { all: async () => content }),
    objects: mortal("objects", objects),
    sandbox: mortal("sandbox", {
      async session({ runId }: { runId: string }) {
        const kept = { runId, isReady: true };
        sessions.push(kept);
        return mortal("session", session(kept));
      },
      async stopSessionsOf({ runId }: { runId: string }) {
        for (const kept of sessions) if (kept.runId === runId) kept.isReady = false;
      },
    }),
    telemetry: { ended: (ended) => void lines.push(ended) },
    log: { info: () => {}, problem: (message) => void problems.push(message) },
    clock: () => now,
    pause: async () => {},
    ...change,
  };
}

const isOver = () => !["queued", "running"].includes(run.status);

describe("a run that nothing happens to", () => {
  test("a run succeeds with masked output and files, and its session and lease are ended", async () => {
    const deps = dependencies();
    await carryOutRun(deps, job);
    expect(run).toMatchObject({
      status: "succeeded",
      exit_code: 0,
      seconds: 1,
      files: [{ n: 1, name: "a.txt", size: 6 }],
    });
    const key = { tenantId: "t", skill: "weekly-report", id: "r1" };
    expect(await deps.objects.output(key)).toEqual({ output: "the token is [secret]", stderr: "" });
    expect(sessions).toEqual([{ runId: "r1", isReady: false }]);
    expect(use).toMatchObject({ leases: {}, seconds: 1 });
    expect(lines).toHaveLength(1);
  });

  test("a run is not executed again by a repeated job", async () => {
    await carryOutRun(dependencies(), job);
    await carryOutRun(dependencies(), job);
    expect(effects).toBe(1);
    expect(lines).toHaveLength(1);
  });

  test("a run of a draft gets no secrets and no variables of other people, and says so", async () => {
    run = { ...run, is_draft: true };
    await carryOutRun(dependencies(), job);
    expect(run).toMatchObject({ status: "succeeded", withheld_secrets: ["JIRA"], withheld_variables: ["DB_URL"] });
    expect(calls).not.toContain("opener.open");
    expect(calls).not.toContain("approvals.of");
  });

  test.each([2, undefined])(
    "a run of the active version is not started if version %s is approved when it begins",
    async (version) => {
      approvedVersion = version;
      await carryOutRun(dependencies(), job);
      expect(run).toMatchObject({ status: "failed", reason: expect.stringContaining("not the active one any more") });
      expect([effects, calls.includes("opener.open")]).toEqual([0, false]);
    },
  );

  test("a run of a purged workspace is ignored", async () => {
    const deps = dependencies();
    await carryOutRun({ ...deps, runs: { ...deps.runs, get: async () => undefined } }, job);
    expect(sessions).toEqual([]);
  });
});

describe("a run whose function dies", () => {
  /** How many calls a run makes that nothing happens to. */
  async function steps(): Promise<number> {
    await carryOutRun(dependencies(), job);
    return calls.length;
  }

  test.each(["before", "after"] as const)(
    "a run whose function dies %s any of its calls starts its script at most once, and ends",
    async (when) => {
      const count = await steps();
      const seen = new Set<string>();
      for (let call = 1; call <= count; call += 1) {
        run = { ...run, status: "queued", files: [], started_at: undefined, ended_at: undefined } as RunRecord;
        [now, effects, sessions, calls, dead, tasks] = [start, 0, [], [], false, [false, true]];
        use = withRun(undefined, run, start);
        death = { call, when };
        await carryOutRun(dependencies(), job).catch(() => {});
        seen.add(calls.at(-1) ?? "");
        [death, dead] = [undefined, false];
        // While its lease lasts nobody else starts it, and the job comes back.
        if (run.status === "running")
          await expect(carryOutRun(dependencies(), job)).rejects.toThrow("is being carried out");
        expect(effects).toBeLessThanOrEqual(1);
        now = leaseEnd(run) + 1;
        await carryOutRun(dependencies(), job);
        expect({
          call,
          effects: effects <= 1,
          over: isOver(),
          ready: sessions.filter(({ isReady }) => isReady),
        }).toEqual({
          ...{ call, effects: true, over: true, ready: [] },
        });
        expect(currentUse(use, now).leases).toEqual({});
      }
      expect(seen.size).toBeGreaterThan(8);
    },
  );

  test("a run whose function dies while its script runs is lost, and counts with its whole time limit", async () => {
    await steps();
    death = { call: calls.indexOf("session.start") + 1, when: "after" };
    run = { ...run, status: "queued" };
    [effects, sessions, calls, tasks] = [0, [], [], [false, true]];
    use = withRun(undefined, run, start);
    await carryOutRun(dependencies(), job).catch(() => {});
    [death, dead, now] = [undefined, false, leaseEnd(run) + 1];
    await carryOutRun(dependencies(), job);
    expect(run).toMatchObject({ status: "lost", seconds: 60, reason: expect.stringContaining("not known") });
    expect(currentUse(use, now)).toMatchObject({ leases: {}, seconds: 60 });
  });
});

describe("a run that cannot be carried out", () => {
  test("a run that has waited for too long is lost, and its script is not started", async () => {
    now = start + 301_000;
    await carryOutRun(dependencies(), job);
    expect(run).toMatchObject({ status: "lost", reason: expect.stringContaining("not started in time") });
    expect([effects, sessions]).toEqual([0, []]);
    expect(use?.seconds).toBe(0);
  });

  test("a run for which the sandbox has no room says that its script was not started", async () => {
    const deps = dependencies();
    const session = () => Promise.reject(new SandboxUnavailable("full"));
    await carryOutRun({ ...deps, sandbox: { ...deps.sandbox, session } }, job);
    expect(run).toMatchObject({ status: "failed", seconds: 0, reason: expect.stringContaining("was not started") });
    expect(use?.leases).toEqual({});
  });

  test("a run whose secret was removed fails and names the secret", async () => {
    const deps = dependencies({ secrets: { get: async () => undefined } });
    await carryOutRun(deps, job);
    expect(run).toMatchObject({ status: "failed", reason: expect.stringContaining("JIRA") });
    expect(sessions).toEqual([]);
  });

  test("a run whose version was removed fails and says so", async () => {
    await carryOutRun(dependencies({ contents: { all: async () => undefined } }), job);
    expect(run).toMatchObject({ status: "failed", reason: expect.stringContaining("removed meanwhile") });
  });

  test("a run that the sandbox ended says so", async () => {
    delete files[places.code];
    await carryOutRun(dependencies(), job);
    expect(run).toMatchObject({ status: "failed", reason: expect.stringContaining("The sandbox ended it") });
    expect(run.exit_code).toBeUndefined();
  });
});

test("a run is ended at its time limit", async () => {
  tasks = Array(100).fill(false);
  const pause = async () => {
    now += 10_000;
  };
  await carryOutRun(dependencies({ pause }), job);
  expect(run).toMatchObject({ status: "timed_out", seconds: 60, reason: expect.stringContaining("60 seconds") });
  expect(calls).toContain("session.end");
});

test("a session that cannot be stopped does not change the result of the run", async () => {
  const deps = dependencies();
  const session: typeof deps.sandbox.session = async (wanted) => {
    const made = await deps.sandbox.session(wanted);
    const stop = () => Promise.reject(new Error("no answer"));
    return new Proxy(made, { get: (target, name) => (name === "stop" ? stop : target[name as "read"]) });
  };
  await carryOutRun({ ...deps, sandbox: { ...deps.sandbox, session } }, job);
  expect(run.status).toBe("succeeded");
  expect(problems).toEqual(["A session was not stopped"]);
});
