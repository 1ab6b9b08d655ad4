// Skills and their versions in the table. Each write is conditional on the skill's revision, so the rows that go with it need no condition of their
// own.
import pMap from "p-map";
import { expiresAt, removalMark } from "../../../domain/kernel/retention.ts";
import { workspaceLimits } from "../../../domain/skills/limits.ts";
import type { SkillChange, SkillRecord, SkillStore } from "../../../domain/skills/skill.ts";
import { type VersionRecord, versionSummarySchema } from "../../../domain/skills/skill-version.ts";
import { contended } from "../client.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, type Change, change, type Item, joined, put, remove, update, type Write, when } from "../write.ts";
import { skillCountsRecord, skillRecord } from "./skill.record.ts";
import { skillApprovalRecord } from "./skill-approval.record.ts";
import { skillEnvironmentRecord } from "./skill-environment.record.ts";
import { skillContentRecord, skillVersionRecord } from "./skill-version.record.ts";

const asJson = ["input_schema", "frontmatter"];
/** The attributes that a list of versions reads: a version's files are left out, since they may be 200. */
const summary = {
  ProjectionExpression: "version, digest, author, created_at, #change",
  ExpressionAttributeNames: { "#change": "change" },
};

export function skillStore(rows: Rows): SkillStore {
  const versionRows = (tenantId: string, name: string) => ({
    pk: skillVersionRecord.range({ tenant_id: tenantId, name }).pk,
    prefix: "V#",
  });

  /** Versions of before a removal: later ones of the same name have higher numbers. */
  async function oldVersions({ tenant_id, name, latest_version }: SkillRecord): Promise<Item[]> {
    const { pk, sk: upTo } = skillVersionRecord.key({ tenant_id, name, version: latest_version });
    return rows.all({ pk, from: "V#", upTo }, { ProjectionExpression: "pk, sk, content_id, digest, version" });
  }

  return {
    async list(tenantId) {
      const found = await rows.all({ pk: skillRecord.range({ tenant_id: tenantId }).pk });
      return found
        .filter(({ sk, removed_at }) => sk !== "COUNTS" && removed_at === undefined)
        .map((item) => skillRecord.parse(item));
    },

    async get(tenantId, name) {
      const item = await rows.get(skillRecord.key({ tenant_id: tenantId, name }));
      return item?.revision === undefined ? undefined : skillRecord.parse(item);
    },

    async version(tenantId, name, version) {
      return rows.read(skillVersionRecord, { tenant_id: tenantId, name, version });
    },

    async versions(tenantId, name) {
      const found = await rows.all(versionRows(tenantId, name), summary);
      return found.map((item) => versionSummarySchema.parse(item));
    },

    async versionOf(tenantId, name, digest) {
      return (await rows.read(skillContentRecord, { tenant_id: tenantId, name, digest }))?.version;
    },

    async write(asked) {
      const { skill, added, dropped, environment, approval, entry } = asked;
      const { tenant_id: tenantId, name, revision } = skill;
      const counted = countsChange(asked);
      const writes: Write[] = [
        put(
          { ...skillRecord.key({ tenant_id: tenantId, name }), ...written(skill) },
          revision === 1 ? absent : when`revision = ${revision - 1}`,
        ),
        ...(counted ? [update(skillCountsRecord.key({ tenant_id: tenantId }), counted)] : []),
        ...(added ? versionPuts(added) : []),
        ...(dropped ? versionRemovals(dropped) : []),
        ...(environment ? [put({ ...skillEnvironmentRecord.key({ tenant_id: tenantId, name }), ...environment })] : []),
        ...(environment === null ? [remove(skillEnvironmentRecord.key({ tenant_id: tenantId, name }))] : []),
        ...(approval ? [put({ ...skillApprovalRecord.key({ tenant_id: tenantId, name }), ...approval })] : []),
        ...(approval === null ? [remove(skillApprovalRecord.key({ tenant_id: tenantId, name }))] : []),
        auditPut(entry),
      ];
      const failed = await rows.transact(writes, contended);
      if (failed === undefined) return "written";
      return failed === 0 ? "outrun" : "full";
    },

    async contentsOf(removed) {
      return (await oldVersions(removed)).map(({ content_id }) => String(content_id));
    },

    async clear(removed) {
      const { tenant_id: tenantId, name, revision, removed_at = "" } = removed;
      await pMap(
        await oldVersions(removed),
        async ({ version, digest }) => {
          const isOld = when`version = ${version}`;
          await rows.delete(skillContentRecord.key({ tenant_id: tenantId, name, digest: String(digest) }), isOld);
          await rows.delete(skillVersionRecord.key({ tenant_id: tenantId, name, version: Number(version) }));
        },
        { concurrency: 8 },
      );
      const ends = change`SET expires_at = ${expiresAt(removalMark, Date.parse(removed_at))}`;
      await rows.update(skillRecord.key({ tenant_id: tenantId, name }), ends, when`revision = ${revision}`);
    },
  };
}

function versionPuts(version: VersionRecord): Write[] {
  const { tenant_id: tenantId, name, version: number, digest } = version;
  return [
    put({ ...skillVersionRecord.key({ tenant_id: tenantId, name, version: number }), ...written(version) }),
    put({ ...skillContentRecord.key({ tenant_id: tenantId, name, digest }), version: number }),
  ];
}

function versionRemovals({ tenant_id: tenantId, name, version, digest }: VersionRecord): Write[] {
  return [
    remove(skillVersionRecord.key({ tenant_id: tenantId, name, version })),
    remove(skillContentRecord.key({ tenant_id: tenantId, name, digest })),
  ];
}

/** The change of the workspace's counts, on the condition that there is room. */
function countsChange({ skills, active }: SkillChange): Change | undefined {
  if (!skills && !active) return undefined;
  const all = change`ADD skills ${skills ?? 0}, active ${active ?? 0}`;
  if (skills === 1) return joined(all, when`attribute_not_exists(skills) OR skills < ${workspaceLimits.skills}`);
  if (active === 1) return joined(all, when`attribute_not_exists(active) OR active < ${workspaceLimits.active}`);
  return all;
}

/** The record as it is stored: what is JSON is a text (stored-json.ts). */
function written(record: SkillRecord | VersionRecord): Item {
  const isJson = (name: string, value: unknown) => asJson.includes(name) && value !== undefined;
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, isJson(name, value) ? JSON.stringify(value) : value]),
  );
}
