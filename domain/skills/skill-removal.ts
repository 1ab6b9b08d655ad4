// The removal of a skill with all its versions. A mark stays for a while: the numbers of its versions are not used again, and the removal can be
// repeated.
import type { Actor } from "../access/access-rule.ts";
import { noSkill, type SkillRecord, type SkillStore } from "./skill.ts";
import { removableSkill } from "./skill-access.ts";
import { changing, skillEntry } from "./skill-change.ts";
import type { SkillContents } from "./skill-version.ts";

type Dependencies = { skills: SkillStore; skillContents: SkillContents; clock: () => number; newId: () => string };

/** A repeat goes on where the removal before was cut off. @throws Refusal not_found or role_missing */
export async function removeSkill(deps: Dependencies, actor: Actor, name: string): Promise<void> {
  const { skills, skillContents } = deps;
  const removed = await changing(async () => {
    const found = await skills.get(actor.tenantId, name);
    if (found?.removed_at !== undefined) return mayRepeat(found, actor) ? found : noSkill();
    const before = await removableSkill(skills, actor, name);
    const { active_version, digest, ...rest } = before;
    const now = new Date(deps.clock()).toISOString();
    const after: SkillRecord = {
      ...rest,
      ...{ status: "inactive", kept_versions: [], secrets: [], approved_secrets: [] },
      ...{ removed_at: now, updated_at: now, revision: before.revision + 1 },
    };
    const written = await skills.write({
      skill: after,
      skills: -1,
      ...(before.status === "active" && { active: -1 as const }),
      environment: null,
      approval: null,
      entry: skillEntry(deps, actor, name, { action: "skill.delete", before }),
    });
    return written === "written" ? after : undefined;
  });
  await skillContents.remove(actor.tenantId, await skills.contentsOf(removed));
  await skills.clear(removed);
}

/** True if the actor could see the skill: they may repeat the removal and learn again that it is gone. */
function mayRepeat({ authors }: SkillRecord, { role, sub }: Actor): boolean {
  return role === "owner" || authors.includes(sub);
}
