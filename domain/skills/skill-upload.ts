// An upload: a new skill, or the next version of one. The same content again is the version that it was before.

import { Refusal } from "../kernel/refusal.ts";
import type { Author } from "../workspace/audit.ts";
import { type AuditEntry, entryBy } from "../workspace/audit.ts";
import { workspaceLimits } from "./limits.ts";
import type { SkillRecord, SkillStore } from "./skill.ts";
import { changing, shownOf, withoutShown } from "./skill-change.ts";
import type { SkillFile, SkillProblem } from "./skill-file.ts";
import type { SkillContents, VersionRecord } from "./skill-version.ts";
import { examineSkill } from "./upload-rules.ts";

type Dependencies = {
  skills: SkillStore;
  skillContents: SkillContents;
  clock: () => number;
  newId: () => string;
};

export type Upload = { files: SkillFile[]; name?: string | undefined; change?: string | undefined };

/** @throws Refusal skill_invalid or skill_limit_reached */
export async function uploadSkill(
  deps: Dependencies,
  author: Author,
  { files, name, change }: Upload,
): Promise<{ version: VersionRecord; isNew: boolean }> {
  const { skill: examined, problems } = examineSkill(files, name);
  if (!examined) throw skillInvalid(problems);
  const { skills, skillContents, clock, newId } = deps;
  const { tenantId, sub } = author;
  const contentId = newId();
  let isKept = false;
  let isUsed = false;

  try {
    return await changing(async () => {
      const skill = await skills.get(tenantId, examined.name);
      const known = skill && (await sameContent(skills, skill, examined.digest));
      if (known) return { version: known, isNew: false };
      if (!isKept) await skillContents.put(tenantId, contentId, files);
      isKept = true;

      const now = new Date(clock()).toISOString();
      const number = (skill?.latest_version ?? 0) + 1;
      const version: VersionRecord = {
        ...{ tenant_id: tenantId, ...examined, version: number, content_id: contentId },
        ...{ author: sub, created_at: now, ...(change && { change }) },
      };
      const dropped = skill && (await oneTooMany(skills, skill, sub));
      const next = withVersion(skill, version, dropped?.version);
      const isFirst = skill === undefined || skill.removed_at !== undefined;
      const written = await skills.write({
        skill: next,
        ...(isFirst && { skills: 1 as const }),
        added: version,
        ...(dropped && { dropped }),
        entry: uploaded(deps, author, version),
      });
      if (written === "full") throw skillsFull();
      if (written === "outrun") return undefined;
      isUsed = true;
      if (dropped) await skillContents.remove(tenantId, [dropped.content_id]);
      return { version, isNew: true };
    });
  } finally {
    // Content that no version refers to is removed.
    if (isKept && !isUsed) await skillContents.remove(tenantId, [contentId]);
  }
}

async function sameContent(
  skills: SkillStore,
  { tenant_id, name, kept_versions }: SkillRecord,
  digest: string,
): Promise<VersionRecord | undefined> {
  const number = await skills.versionOf(tenant_id, name, digest);
  return number !== undefined && kept_versions.includes(number) ? skills.version(tenant_id, name, number) : undefined;
}

/**
 * The version that is removed when one more comes: of the author with the most versions, the new one counted, the oldest that is not active. So
 * uploads without end push out their author's own versions, and nobody else's.
 */
async function oneTooMany(
  skills: SkillStore,
  { tenant_id, name, kept_versions, active_version }: SkillRecord,
  uploader: string,
): Promise<VersionRecord | undefined> {
  if (kept_versions.length < workspaceLimits.versions) return undefined;
  const kept = (await skills.versions(tenant_id, name)).filter(({ version }) => kept_versions.includes(version));
  const removable = kept.filter(({ version }) => version !== active_version);
  const countOf = (author: string) =>
    kept.filter((one) => one.author === author).length + (author === uploader ? 1 : 0);
  const most = Math.max(...removable.map(({ author }) => countOf(author)));
  const chosen = removable.find(({ author }) => countOf(author) === most);
  return chosen && skills.version(tenant_id, name, chosen.version);
}

function withVersion(skill: SkillRecord | undefined, added: VersionRecord, dropped?: number): SkillRecord {
  const { tenant_id, name, author, created_at, version } = added;
  const shown = shownOf(added);
  if (!skill || skill.removed_at !== undefined) {
    return {
      ...{ tenant_id, name, status: "inactive", ...shown, latest_version: version },
      ...{ created_by: author, created_at, updated_at: created_at },
      ...{ revision: (skill?.revision ?? 0) + 1, kept_versions: [version], authors: [author] },
      ...{ secrets: [], approved_secrets: [] },
    };
  }
  return {
    ...(skill.status === "active" ? skill : { ...withoutShown(skill), ...shown }),
    latest_version: version,
    updated_at: created_at,
    revision: skill.revision + 1,
    kept_versions: [...skill.kept_versions.filter((one) => one !== dropped), version],
    authors: [...new Set([...skill.authors, author])],
  };
}

function uploaded(
  deps: Dependencies,
  author: Author,
  { name, version, digest, kind, change }: VersionRecord,
): AuditEntry {
  return entryBy(deps, author, {
    action: "skill.upload",
    target: name,
    after: { latest_version: version, digest, kind, change },
  });
}

function skillInvalid(problems: readonly SkillProblem[]): Refusal {
  const text = problems.map(({ path, message }) => `${path || "the folder"}: ${message}`).join("; ");
  return new Refusal("skill_invalid", text, { fields: problems });
}

function skillsFull(): Refusal {
  return new Refusal("skill_limit_reached", `The workspace has ${workspaceLimits.skills} skills, and may have no more`);
}
