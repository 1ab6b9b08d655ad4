// What all changes of a skill share: the repeats of whoever was outrun, what a skill shows of a version, and the entry of the audit trail.
import { optimistically } from "../kernel/optimistic.ts";
import { contention } from "../kernel/refusal.ts";
import { type AuditEntry, type Author, entryBy } from "../workspace/audit.ts";
import type { AuditAction } from "../workspace/audit-actions.ts";
import type { ApprovalRecord } from "./approval.ts";
import { namedVariables } from "./environment.ts";
import type { SkillRecord } from "./skill.ts";
import type { VersionRecord } from "./skill-version.ts";

/** Rounds of a change. Each round that is outrun means that another change is done, so 50 changes at once all succeed. */
const rounds = 50;

/** @param attempt one round; undefined if it was outrun @throws Refusal changed_meanwhile */
export function changing<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  const outrun = (): never => {
    throw contention("name", "others change this skill at the same time");
  };
  return optimistically(attempt, outrun, rounds);
}

/** The fields that a skill takes over from the version that it stands for. */
export function shownOf({ kind, description, run, input_schema }: VersionRecord) {
  return {
    ...{ kind, description },
    ...(run && { network: run.network, timeout_seconds: run.timeout_seconds }),
    ...(input_schema && { input_schema }),
  };
}

/** The skill without the fields that it took over from a version, as another version replaces it. */
export function withoutShown<T extends Partial<SkillRecord>>(skill: T) {
  const { network, timeout_seconds, input_schema, ...rest } = skill;
  return rest;
}

type Change = { action: AuditAction; before?: SkillRecord | undefined; after?: SkillRecord | undefined };

/** The audit entry of a skill's change: which version was the active one before and after, and with which environment it was approved. */
export function skillEntry(
  deps: { clock: () => number; newId: () => string },
  author: Author,
  name: string,
  { action, before, after }: Change,
  [approvedBefore, approved]: (ApprovalRecord | undefined)[] = [],
): AuditEntry {
  const state = ({ status, active_version, digest, latest_version }: SkillRecord, approval?: ApprovalRecord) => ({
    ...{ status, active_version, digest, latest_version },
    ...(approval && { env: namedVariables(approval.env), env_digest: approval.env_digest }),
  });
  const states = {
    ...(before && { before: state(before, approvedBefore) }),
    ...(after && { after: state(after, approved) }),
  };
  return entryBy(deps, author, { action, target: name, ...states });
}
