// The workspace's skills over HTTP.
import { fieldRefusal } from "../../../domain/kernel/refusal.ts";
import { together } from "../../../domain/kernel/together.ts";
import { activateSkill, deactivateSkill } from "../../../domain/secrets/skill-activation.ts";
import { mayRead, maySee, readableVersion, visibleSkill } from "../../../domain/skills/skill-access.ts";
import { removeSkill } from "../../../domain/skills/skill-removal.ts";
import { uploadSkill } from "../../../domain/skills/skill-upload.ts";
import { versionNumber } from "../../../domain/skills/skill-version.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { skillRoutes } from "./skills.routes.ts";

type Dependencies = Pick<
  ControlDependencies,
  "skills" | "skillContents" | "skillEnvironments" | "skillApprovals" | "skillSecrets" | "clock" | "newId"
>;

export function skillOperations(deps: Dependencies): Operations<typeof skillRoutes> {
  const { skills, skillContents } = deps;
  return {
    async listSkills({ caller, query: { status } }) {
      const all = await skills.list(caller.tenantId);
      const seen = all.filter((skill) => maySee(skill, caller));
      return { data: seen.filter((skill) => status === undefined || skill.status === status) };
    },

    async uploadSkill({ caller, body }) {
      const { version, isNew } = await uploadSkill(deps, caller, body);
      return { ...version, is_new: isNew };
    },

    async getSkill({ caller, parameters: { name } }) {
      const [skill, versions] = await together([
        visibleSkill(skills, caller, name),
        skills.versions(caller.tenantId, name),
      ]);
      const kept = versions.filter(({ version }) => skill.kept_versions.includes(version));
      return { ...skill, versions: kept.filter((version) => mayRead(skill, version, caller)) };
    },

    getSkillVersion: ({ caller, parameters: { name, version } }) =>
      readableVersion(skills, caller, { name, version: versionNumber(version) }),

    async getSkillFile({ caller, parameters: { name, version, path } }) {
      const found = await readableVersion(skills, caller, { name, version: versionNumber(version) });
      const entry = found.files.find((file) => file.path === path);
      const content = await skillContents.one(found, path);
      if (!entry || !content) throw fieldRefusal("not_found", "path", "the version has no such file");
      return { ...entry, content: Buffer.from(content).toString("base64") };
    },

    activateSkill: ({ caller, parameters: { name }, body }) => activateSkill(deps, caller, name, body),

    deactivateSkill: ({ caller, parameters: { name } }) => deactivateSkill(deps, caller, name),

    async deleteSkill({ caller, parameters: { name } }) {
      await removeSkill(deps, caller, name);
      return undefined;
    },
  };
}
