// Starting a run: whoever may read a version may run it. The run is written together with its lease, and then queued.
import type { Actor } from "../access/access-rule.ts";
import type { Creation } from "../kernel/idempotency.ts";
import { optimistically } from "../kernel/optimistic.ts";
import type { Queue } from "../kernel/queue.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import type { RunDeclaration } from "../skills/run-declaration.ts";
import type { SkillStore } from "../skills/skill.ts";
import { readableVersion, visibleSkill } from "../skills/skill-access.ts";
import type { VersionRecord } from "../skills/skill-version.ts";
import { keyOf, type RunJob, type RunRecord, runIdAt } from "./run.ts";
import type { RunInput, RunObjects } from "./run-objects.ts";
import type { RunStore } from "./run-store.ts";
import { withRun } from "./run-use.ts";

export type RunStartDependencies = {
  skills: Pick<SkillStore, "get" | "version">;
  runs: Pick<RunStore, "get" | "use" | "write">;
  runObjects: Pick<RunObjects, "putInput">;
  runJobs: Queue<RunJob>;
  clock: () => number;
  newId: () => string;
};

/** @param version the active one unless given @throws Refusal not_found, or invalid_request for what cannot be run */
export async function startRun(
  deps: RunStartDependencies,
  actor: Actor,
  skill: string,
  { version, ...input }: RunInput & { version?: number | undefined },
): Promise<Creation<RunRecord>> {
  const found = await versionToRun(deps, actor, skill, version);
  const { clock, newId } = deps;
  return { newId: runIdAt(clock(), newId()), create: (id) => create(deps, actor, { id, ...found, input }) };
}

async function versionToRun(
  { skills }: Pick<RunStartDependencies, "skills">,
  actor: Actor,
  name: string,
  wanted: number | undefined,
): Promise<{ version: VersionRecord & { run: RunDeclaration }; isDraft: boolean }> {
  const { active_version } = await visibleSkill(skills, actor, name);
  const version = wanted ?? active_version;
  if (version === undefined) {
    throw fieldRefusal("invalid_request", "version", "is required, because the skill is not active");
  }
  const { run, ...found } = await readableVersion(skills, actor, { name, version });
  if (run) return { version: { ...found, run }, isDraft: version !== active_version };
  throw fieldRefusal("invalid_request", "version", "has no script to run: it has instructions to read in SKILL.md");
}

type Wanted = Awaited<ReturnType<typeof versionToRun>> & { id: string; input: RunInput };

/** A repeat finds the run of the first attempt, and queues it again: a run that is taken from the queue twice is carried out once. */
async function create(
  deps: RunStartDependencies,
  actor: Actor,
  { id, version, isDraft, input }: Wanted,
): Promise<RunRecord> {
  const { runs, runObjects, runJobs, clock } = deps;
  const now = clock();
  const run: RunRecord = {
    ...{
      tenant_id: actor.tenantId,
      run_id: id,
      skill: version.name,
      version: version.version,
      status: "queued",
      files: [],
    },
    ...{ queued_at: new Date(now).toISOString(), caller_id: actor.sub },
    ...{ timeout_seconds: version.run.timeout_seconds, network: version.run.network, is_draft: isDraft },
  };
  const started = await optimistically(async () => {
    const there = await runs.get(keyOf(run));
    if (there) return there;
    const use = withRun(await runs.use(actor.tenantId), run, now);
    // The input is written before the run, so that no run is queued without it.
    await runObjects.putInput(keyOf(run), input);
    return (await runs.write(run, undefined, use)) ? run : undefined;
  });
  if (started.status === "queued") {
    await runJobs.send({ tenant_id: run.tenant_id, skill: run.skill, run_id: run.run_id });
  }
  return started;
}
