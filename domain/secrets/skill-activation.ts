// Activation: the owner makes one version of a skill, with the environment of its script, the one that members use, by the digests that were reviewed. An
// older version is activated the same way, which is a rollback, and the active one again, which approves its environment as it is now.
import type { Actor } from "../access/access-rule.ts";
import { fieldRefusal, Refusal } from "../kernel/refusal.ts";
import { together } from "../kernel/together.ts";
import { type ApprovalRecord, approvalOf, type SkillApprovalStore } from "../skills/approval.ts";
import type { Environment, EnvironmentStore } from "../skills/environment.ts";
import { environmentLimits, workspaceLimits } from "../skills/limits.ts";
import { reservedProblem } from "../skills/reserved-names.ts";
import type { SkillRecord, SkillStore } from "../skills/skill.ts";
import { readableVersion, visibleSkill } from "../skills/skill-access.ts";
import { changing, shownOf, skillEntry, withoutShown } from "../skills/skill-change.ts";
import { nameProblem } from "../skills/skill-name.ts";
import type { SecretStore } from "./secret.ts";

type Stamp = { clock: () => number; newId: () => string };
type Dependencies = Stamp & {
  skills: SkillStore;
  skillEnvironments: EnvironmentStore;
  skillApprovals: Pick<SkillApprovalStore, "of">;
  skillSecrets: Pick<SecretStore, "list">;
};

/** The version and the environment as the owner saw them. */
export type Reviewed = { version: number; digest: string; env_digest: string };

/**
 * The environment is read after the skill, and each change of it changes the skill, so that what is written is what was compared.
 * @throws Refusal not_found, digest_mismatch, skill_limit_reached, skill_invalid for a name of a skill that was allowed once, or invalid_request for an
 * environment that has such a name, or too much
 */
export function activateSkill(
  deps: Dependencies,
  owner: Actor,
  name: string,
  reviewed: Reviewed,
): Promise<SkillRecord> {
  return changing(async () => {
    const { tenantId, sub } = owner;
    const before = await visibleSkill(deps.skills, owner, name);
    const [version, env, secrets, approvedBefore] = await together([
      readableVersion(deps.skills, owner, { name, version: reviewed.version }),
      deps.skillEnvironments.of(tenantId, name),
      deps.skillSecrets.list(tenantId),
      deps.skillApprovals.of(tenantId, name),
    ]);
    const approval = approvalOf(
      { tenant_id: tenantId, name, version: version.version, env, approved_by: sub },
      secrets,
    );
    requireReviewed(reviewed, { ...version, env_digest: approval.env_digest });
    if (approvedBefore?.version === approval.version && approvedBefore.env_digest === approval.env_digest)
      return before;
    requireApprovable(name, approval);
    const now = new Date(deps.clock()).toISOString();
    const after: SkillRecord = {
      ...withoutShown(before),
      ...shownOf(version),
      ...{ status: "active", active_version: version.version, digest: version.digest },
      approved_secrets: Object.values(approval.secrets).map(({ secret_id }) => secret_id),
      ...{ activated_by: sub, activated_at: now, updated_at: now, revision: before.revision + 1 },
    };
    const entry = skillEntry(deps, owner, name, { action: "skill.activate", before, after }, [
      approvedBefore,
      approval,
    ]);
    const isMore = before.status === "inactive";
    const written = await deps.skills.write({ skill: after, ...(isMore && { active: 1 as const }), approval, entry });
    if (written === "full") throw activeFull();
    return written === "written" ? after : undefined;
  });
}

function requireReviewed(reviewed: Reviewed, found: Reviewed): void {
  if (found.digest !== reviewed.digest) {
    const message = `version ${found.version} has another digest: read that version, and review what it holds`;
    throw fieldRefusal("digest_mismatch", "digest", message);
  }
  if (found.env_digest === reviewed.env_digest) return;
  const message = "the environment is another one than was reviewed: read it again, and review what has changed";
  throw fieldRefusal("digest_mismatch", "env_digest", message);
}

function requireApprovable(name: string, approval: ApprovalRecord): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw fieldRefusal("skill_invalid", "name", problem);
  requireAllowedNames(approval.env);
  const { approvedBytes } = environmentLimits;
  if (Buffer.byteLength(JSON.stringify(approval)) <= approvedBytes) return;
  const message = `its values, and those of the secrets that others than you gave, are together more than ${approvedBytes / 1024} KB: give some of the secrets yourself`;
  throw fieldRefusal("invalid_request", "env", message);
}

/** A name may have become reserved since it was set. */
function requireAllowedNames(env: Environment): void {
  const problems = Object.keys(env).flatMap((variable) => {
    const message = reservedProblem(variable);
    return message === undefined ? [] : [{ path: `env.${variable}`, message }];
  });
  if (problems.length === 0) return;
  const text = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
  throw new Refusal("invalid_request", text, { fields: problems });
}

/** A skill that is inactive stays so. Its approval ends. @throws Refusal not_found */
export function deactivateSkill(
  deps: Stamp & { skills: SkillStore },
  owner: Actor,
  name: string,
): Promise<SkillRecord> {
  return changing(async () => {
    const before = await visibleSkill(deps.skills, owner, name);
    if (before.status === "inactive") return before;
    const { active_version, digest, ...rest } = before;
    const latest = await deps.skills.version(owner.tenantId, name, before.latest_version);
    const after: SkillRecord = {
      ...(latest ? { ...withoutShown(rest), ...shownOf(latest) } : rest),
      ...{ status: "inactive", approved_secrets: [], updated_at: new Date(deps.clock()).toISOString() },
      revision: before.revision + 1,
    };
    const entry = skillEntry(deps, owner, name, { action: "skill.deactivate", before, after });
    const written = await deps.skills.write({ skill: after, active: -1, approval: null, entry });
    return written === "written" ? after : undefined;
  });
}

function activeFull(): Refusal {
  const message = `The workspace has ${workspaceLimits.active} active skills, and may have no more: deactivate one first`;
  return new Refusal("skill_limit_reached", message);
}
