import { expect, test } from "@jest/globals";
import { activateSkill } from "../../../domain/secrets/skill-activation.ts";
import { environmentDigest } from "../../../domain/skills/approval.ts";
import type { SkillStore } from "../../../domain/skills/skill.ts";

const digest = `sha256:${"0".repeat(64)}`;

test("a skill whose name became taken after it was uploaded is not activated", async () => {
  const skills: Partial<SkillStore> = {
    get: async () => ({ name: "get-run", status: "inactive", kept_versions: [1], authors: [], revision: 1 }) as never,
    version: async () => ({ version: 1, digest }) as never,
  };
  const deps = {
    skills: skills as SkillStore,
    skillEnvironments: { of: async () => ({}) },
    skillApprovals: { of: async () => undefined },
    skillSecrets: { list: async () => [] },
    clock: () => 0,
    newId: () => "id",
  };
  const owner = { tenantId: "t", sub: "ann", role: "owner" } as never;
  const reviewed = { version: 1, digest, env_digest: environmentDigest({}, []) };
  await expect(activateSkill(deps, owner, "get-run", reviewed)).rejects.toMatchObject({
    code: "skill_invalid",
    message: expect.stringContaining("name: is taken: some clients write it as get_run"),
  });
});
