// Who may see, read and change what of a skill. The owner may everything; others use what is active, and see what they wrote themselves.
import type { Actor } from "../access/access-rule.ts";
import { Refusal } from "../kernel/refusal.ts";
import { noSkill, type SkillRecord, type SkillStore } from "./skill.ts";
import type { VersionRecord, VersionSummary } from "./skill-version.ts";

export function maySee({ status, authors }: SkillRecord, { role, sub }: Actor): boolean {
  return role === "owner" || status === "active" || authors.includes(sub);
}

/** The active version may be read by everybody, another one by its author and the owner. */
export function mayRead(
  { active_version }: SkillRecord,
  { version, author }: Pick<VersionSummary, "version" | "author">,
  { role, sub }: Actor,
): boolean {
  return role === "owner" || version === active_version || author === sub;
}

/** True if the actor may see and propose the skill's environment: the owner, and whoever made the skill. */
function mayPropose({ created_by }: SkillRecord, { role, sub }: Actor): boolean {
  return role === "owner" || created_by === sub;
}

/** True if the actor may remove the skill. Once it was active only the owner may. */
function mayRemove(skill: SkillRecord, actor: Actor): boolean {
  return mayPropose(skill, actor) && (actor.role === "owner" || skill.activated_at === undefined);
}

/** @throws Refusal not_found, also for a skill that the actor may not see. */
export async function visibleSkill(skills: Pick<SkillStore, "get">, actor: Actor, name: string): Promise<SkillRecord> {
  const skill = await skills.get(actor.tenantId, name);
  return skill && skill.removed_at === undefined && maySee(skill, actor) ? skill : noSkill();
}

/** @throws Refusal not_found, or role_missing for a skill that the actor sees and whose environment is not theirs to propose. */
export async function proposableSkill(
  skills: Pick<SkillStore, "get">,
  actor: Actor,
  name: string,
): Promise<SkillRecord> {
  const skill = await visibleSkill(skills, actor, name);
  if (mayPropose(skill, actor)) return skill;
  throw new Refusal("role_missing", "This needs the role owner, or the person who made the skill");
}

/** @throws Refusal not_found, or role_missing for a skill that the actor sees and may not remove. */
export async function removableSkill(
  skills: Pick<SkillStore, "get">,
  actor: Actor,
  name: string,
): Promise<SkillRecord> {
  const skill = await visibleSkill(skills, actor, name);
  if (mayRemove(skill, actor)) return skill;
  throw new Refusal(
    "role_missing",
    "This needs the role owner: whoever made a skill may do it until the skill is activated for the first time",
  );
}

/** @throws Refusal not_found, also for a version that the actor may not read. */
export async function readableVersion(
  skills: Pick<SkillStore, "get" | "version">,
  actor: Actor,
  { name, version }: { name: string; version: number },
): Promise<VersionRecord> {
  const skill = await visibleSkill(skills, actor, name);
  const found = skill.kept_versions.includes(version) ? await skills.version(actor.tenantId, name, version) : undefined;
  return found && mayRead(skill, found, actor) ? found : noVersion();
}

function noVersion(): never {
  throw new Refusal("not_found", "version: the skill has no such version here", {
    fields: [{ path: "version", message: "the skill has no such version here" }],
  });
}
