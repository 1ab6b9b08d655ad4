// Reading runs: one's own, and for the owner everybody's.
import type { Actor } from "../access/access-rule.ts";
import type { Page, PageRequest } from "../kernel/page.ts";
import { fieldRefusal } from "../kernel/refusal.ts";
import { together } from "../kernel/together.ts";
import { noSkill, type SkillStore } from "../skills/skill.ts";
import { maySee } from "../skills/skill-access.ts";
import { keyOf, type Run, type RunFile, type RunRecord, seenAt } from "./run.ts";
import type { RunObjects } from "./run-objects.ts";
import type { RunStore } from "./run-store.ts";

type Dependencies = {
  skills: Pick<SkillStore, "get">;
  runs: Pick<RunStore, "get" | "list">;
  runObjects: Pick<RunObjects, "output" | "file">;
  clock: () => number;
};

type RunReading = Omit<Dependencies, "skills">;

/** All runs that are not excluded by a named field. */
export type RunFilter = { status?: RunRecord["status"] | undefined; caller_id?: string | undefined };

/**
 * A skill that is gone has its runs for as long as they are kept.
 * @throws Refusal not_found for a skill that the actor neither sees nor has run
 */
export async function listRuns(
  { skills, runs, clock }: Pick<Dependencies, "skills" | "runs" | "clock">,
  actor: Actor,
  name: string,
  { page, filter: { status, caller_id } }: { page: PageRequest; filter: RunFilter },
): Promise<Page<RunRecord>> {
  const now = clock();
  const mayRead = (run: RunRecord) => actor.role === "owner" || run.caller_id === actor.sub;
  // A run may be lost although its record does not say so yet.
  const isAsked = (run: RunRecord) =>
    mayRead(run) &&
    (status === undefined || seenAt(run, now).status === status) &&
    (caller_id === undefined || run.caller_id === caller_id);
  const [skill, { items, next }] = await together([
    skills.get(actor.tenantId, name),
    runs.list(actor.tenantId, name, page, isAsked),
  ]);
  const sees = skill !== undefined && skill.removed_at === undefined && maySee(skill, actor);
  if (!sees && (await runs.list(actor.tenantId, name, { limit: 1, after: undefined }, mayRead)).items.length === 0)
    noSkill();
  return { items: items.map((run) => seenAt(run, now)), next };
}

/** @throws Refusal not_found, also for another person's run */
export async function readRun(deps: RunReading, actor: Actor, skill: string, id: string): Promise<Run & RunRecord> {
  const run = await ownRun(deps, actor, skill, id);
  const output = run.ended_at === undefined ? undefined : await deps.runObjects.output(keyOf(run));
  return { ...seenAt(run, deps.clock()), ...output };
}

/** @throws Refusal not_found, also for a file that is gone after its day */
export async function readRunFile(
  deps: RunReading,
  actor: Actor,
  { skill, id, n }: { skill: string; id: string; n: string },
): Promise<RunFile & { content: Uint8Array }> {
  const run = await ownRun(deps, actor, skill, id);
  const file = run.files.find((one) => String(one.n) === n);
  const content = file && (await deps.runObjects.file(keyOf(run), file.n));
  if (file && content) return { ...file, content };
  throw fieldRefusal("not_found", "n", "the run has no such file, or not any more");
}

async function ownRun({ runs }: Pick<RunReading, "runs">, actor: Actor, skill: string, id: string) {
  const run = await runs.get({ tenantId: actor.tenantId, skill, id });
  if (run && (actor.role === "owner" || run.caller_id === actor.sub)) return run;
  throw fieldRefusal("not_found", "run_id", "there is no such run of yours");
}
