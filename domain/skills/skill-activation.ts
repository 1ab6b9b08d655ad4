// Activation: the owner makes one version of a skill the one that members use, by the digest that was reviewed. An older version is activated the
// same way, which is a rollback.
import type { Actor } from "../access/access-rule.ts";
import { fieldRefusal, Refusal } from "../kernel/refusal.ts";
import { workspaceLimits } from "./limits.ts";
import type { SkillRecord, SkillStore } from "./skill.ts";
import { readableVersion, visibleSkill } from "./skill-access.ts";
import { changing, shownOf, skillEntry, withoutShown } from "./skill-change.ts";
import { nameProblem } from "./skill-name.ts";

type Dependencies = { skills: SkillStore; clock: () => number; newId: () => string };

/** @throws Refusal not_found, digest_mismatch, skill_limit_reached, or skill_invalid for a name that was allowed once */
export function activateSkill(
  deps: Dependencies,
  owner: Actor,
  name: string,
  reviewed: { version: number; digest: string },
): Promise<SkillRecord> {
  return changing(async () => {
    const before = await visibleSkill(deps.skills, owner, name);
    const version = await readableVersion(deps.skills, owner, { name, version: reviewed.version });
    if (version.digest !== reviewed.digest) {
      const message = `version ${version.version} has another digest: read that version, and review what it holds`;
      throw fieldRefusal("digest_mismatch", "digest", message);
    }
    if (before.active_version === version.version) return before;
    const problem = nameProblem(name);
    if (problem !== undefined) throw fieldRefusal("skill_invalid", "name", problem);
    const now = new Date(deps.clock()).toISOString();
    const after: SkillRecord = {
      ...withoutShown(before),
      ...shownOf(version),
      ...{ status: "active", active_version: version.version, digest: version.digest },
      ...{ activated_by: owner.sub, activated_at: now, updated_at: now, revision: before.revision + 1 },
    };
    const entry = skillEntry(deps, owner, name, { action: "skill.activate", before, after });
    const isMore = before.status === "inactive";
    const written = await deps.skills.write({ skill: after, ...(isMore && { active: 1 as const }), entry });
    if (written === "full") throw activeFull();
    return written === "written" ? after : undefined;
  });
}

/** A skill that is inactive stays so. @throws Refusal not_found */
export function deactivateSkill(deps: Dependencies, owner: Actor, name: string): Promise<SkillRecord> {
  return changing(async () => {
    const before = await visibleSkill(deps.skills, owner, name);
    if (before.status === "inactive") return before;
    const { active_version, digest, ...rest } = before;
    const latest = await deps.skills.version(owner.tenantId, name, before.latest_version);
    const after: SkillRecord = {
      ...(latest ? { ...withoutShown(rest), ...shownOf(latest) } : rest),
      ...{ status: "inactive", updated_at: new Date(deps.clock()).toISOString(), revision: before.revision + 1 },
    };
    const entry = skillEntry(deps, owner, name, { action: "skill.deactivate", before, after });
    const written = await deps.skills.write({ skill: after, active: -1, entry });
    return written === "written" ? after : undefined;
  });
}

function activeFull(): Refusal {
  const message = `The workspace has ${workspaceLimits.active} active skills, and may have no more: deactivate one first`;
  return new Refusal("skill_limit_reached", message);
}
