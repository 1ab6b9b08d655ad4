// Carrying a run out, at most once: who turns it from `queued` into `running` starts it, and nobody else does. Whatever happens then, its session is
// stopped, and its lease ends with it.
import type { Log } from "../kernel/log.ts";
import { optimistically } from "../kernel/optimistic.ts";
import { isLost, keyOf, lostReasons, type RunJob, type RunRecord } from "./run.ts";
import { runLimits } from "./run-limits.ts";
import { materialOf, NotRunnable, type RunMaterial, type RunMaterialDependencies } from "./run-material.ts";
import type { RunObjects } from "./run-objects.ts";
import { type RunResult, resultOf } from "./run-result.ts";
import type { RunStore } from "./run-store.ts";
import type { RunTelemetry } from "./run-telemetry.ts";
import { type RunUse, withBegun, withoutRun } from "./run-use.ts";
import { type Sandbox, SandboxUnavailable, type Session } from "./sandbox.ts";
import { startCommand } from "./session-script.ts";

export type RunExecutionDependencies = RunMaterialDependencies & {
  runs: RunStore;
  objects: RunObjects;
  sandbox: Sandbox;
  telemetry: RunTelemetry;
  log: Log;
  clock: () => number;
  pause: (milliseconds: number) => Promise<unknown>;
};

/** The first pause between two looks at a task, short because most scripts are. */
const firstPauseMs = 100;
const longestPauseMs = 1_000;
/** The seconds that a session has beside those of the script. */
const sessionSeconds = 60;
/** How often a change of a workspace's use is tried when others outrun it: of so many changes at once each has its turn. */
const rounds = 50;

type Outcome = Pick<RunRecord, "status"> & Partial<RunRecord>;

/**
 * A job may come twice. What it finds running and not yet lost is another invocation's work, which may have died: it throws, so that
 * the queue brings the job back.
 */
export async function carryOutRun(deps: RunExecutionDependencies, job: RunJob): Promise<void> {
  const { runs, sandbox, clock } = deps;
  const run = await runs.get({ tenantId: job.tenant_id, skill: job.skill, id: job.run_id });
  if (!run) return;
  const isOver = isLost(run, clock());
  if (run.status === "running") {
    if (!isOver) throw new Error(`run ${run.run_id} is being carried out`);
    await sandbox.stopSessionsOf({ runId: run.run_id, network: run.network });
    return end(deps, run, { status: "lost", reason: lostReasons.running, seconds: run.timeout_seconds });
  }
  if (run.status !== "queued") return;
  if (isOver) return end(deps, run, { status: "lost", reason: lostReasons.queued, seconds: 0 });
  const running = { ...run, status: "running" as const, started_at: new Date(clock()).toISOString() };
  if (!(await change(deps, running, run.status, withBegun)))
    throw new Error(`run ${run.run_id} was taken by another invocation`);
  return end(deps, running, await outcomeOf(deps, running));
}

/** Every failure is an outcome: what failed here would fail again, or run the script twice. */
async function outcomeOf(deps: RunExecutionDependencies, run: RunRecord): Promise<Outcome> {
  try {
    const material = await materialOf(deps, run);
    const wanted = { runId: run.run_id, network: run.network, seconds: run.timeout_seconds + sessionSeconds };
    const session = await deps.sandbox.session(wanted);
    return await stopping(deps, run, session, () => inSession(deps, run, session, material));
  } catch (error) {
    if (error instanceof NotRunnable) return { status: "failed", seconds: 0, reason: error.message };
    deps.log.problem("A run could not be carried out", { tenant_id: run.tenant_id, run_id: run.run_id }, error);
    if (error instanceof SandboxUnavailable) {
      return {
        status: "failed",
        seconds: 0,
        reason: "The sandbox is not available, and the script was not started: try again later",
      };
    }
    return {
      status: "failed",
      seconds: run.timeout_seconds,
      reason: "The platform failed while it ran, and does not know how far it came",
    };
  }
}

/** A session that cannot be stopped ends by its own time. */
async function stopping<T>(
  deps: RunExecutionDependencies,
  run: RunRecord,
  session: Session,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    await session.stop().catch((error) => {
      deps.log.problem("A session was not stopped", { tenant_id: run.tenant_id, run_id: run.run_id }, error);
    });
  }
}

async function inSession(
  deps: RunExecutionDependencies,
  run: RunRecord,
  session: Session,
  { files, secrets, withheld }: RunMaterial,
): Promise<Outcome> {
  const { clock } = deps;
  await session.write(files);
  const started = clock();
  const inTime = await isInTime(deps, session, started + run.timeout_seconds * 1000);
  const seconds = Math.min(run.timeout_seconds, Math.max(1, Math.ceil((clock() - started) / 1000)));
  const result = await resultOf(session, secrets);
  await keep(deps, run, result);
  return {
    ...judged(result, inTime, run),
    seconds,
    files: result.files.map(({ name, content }, place) => ({ n: place + 1, name, size: content.length })),
    ...(result.isCut && { truncated: true }),
    ...(withheld.secrets.length > 0 && { withheld_secrets: withheld.secrets }),
    ...(withheld.variables.length > 0 && { withheld_variables: withheld.variables }),
  };
}

/** Starts the script and waits for its end. @returns false if it took longer than it may, and was ended */
async function isInTime(
  { clock, pause }: RunExecutionDependencies,
  session: Session,
  deadline: number,
): Promise<boolean> {
  const task = await session.start(startCommand);
  for (let wait = firstPauseMs; !(await session.isOver(task)); wait = Math.min(longestPauseMs, wait * 2)) {
    if (clock() >= deadline) {
      await session.end(task);
      return false;
    }
    await pause(wait);
  }
  return true;
}

function judged({ exitCode, isMore }: RunResult, inTime: boolean, { timeout_seconds }: RunRecord): Outcome {
  if (!inTime) return { status: "timed_out", reason: `It took longer than its ${timeout_seconds} seconds` };
  if (exitCode === undefined) {
    return {
      status: "failed",
      reason: "The sandbox ended it: it used too much memory, disk or processes, or ended its own run",
    };
  }
  const tooMuch = `Of its files only the first ${runLimits.outputFiles} within ${runLimits.fileBytes / 1024 / 1024} MB were kept, and those whose names any system takes`;
  return { status: exitCode === 0 ? "succeeded" : "failed", exit_code: exitCode, ...(isMore && { reason: tooMuch }) };
}

async function keep(
  { objects }: RunExecutionDependencies,
  run: RunRecord,
  { output, files }: RunResult,
): Promise<void> {
  for (const [place, { content }] of files.entries()) await objects.putFile(keyOf(run), place + 1, content);
  await objects.putOutput(keyOf(run), output);
}

async function end(deps: RunExecutionDependencies, run: RunRecord, outcome: Outcome): Promise<void> {
  const ended = { ...run, ...outcome, ended_at: new Date(deps.clock()).toISOString() };
  if (await change(deps, ended, run.status, withoutRun)) deps.telemetry.ended(ended);
}

type UseChange = (use: RunUse | undefined, run: RunRecord, now: number) => RunUse | undefined;

/** Writes the run together with what changes for its lease. @returns false if the run has another status meanwhile */
async function change(
  { runs, clock }: RunExecutionDependencies,
  run: RunRecord,
  from: RunRecord["status"],
  ofUse: UseChange,
): Promise<boolean> {
  const attempt = async () => {
    const use = ofUse(await runs.use(run.tenant_id), run, clock());
    if (await runs.write(run, from, use)) return true;
    return (await runs.get(keyOf(run)))?.status === from ? undefined : false;
  };
  return optimistically(attempt, undefined, rounds);
}
