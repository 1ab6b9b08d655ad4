// Skills and their versions in the table. Each write is conditional on the skill's revision, so the rows that go with it need no condition of their
// own. Schemas and heads are kept as JSON, since the table takes 32 levels at the most
// (docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html).
import pMap from "p-map";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { workspaceLimits } from "../../../domain/skills/limits.ts";
import {
  type SkillChange,
  type SkillRecord,
  type SkillStore,
  skillRecordSchema,
} from "../../../domain/skills/skill.ts";
import { type VersionRecord, versionRecordSchema, versionSummarySchema } from "../../../domain/skills/skill-version.ts";
import { contended } from "../client.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, type Change, change, type Item, joined, put, remove, update, type Write, when } from "../write.ts";

const asJson = ["input_schema", "frontmatter"];
/** The attributes that a list of versions reads: a version's files are left out, since they may be 200. */
const summary = {
  ProjectionExpression: "version, digest, author, created_at, #change",
  ExpressionAttributeNames: { "#change": "change" },
};

export function skillStore(rows: Rows): SkillStore {
  const versionRows = (tenantId: string, name: string) => ({
    pk: keys.skillVersion(tenantId, name, 0).pk,
    prefix: "V#",
  });

  /** Versions of before a removal: later ones of the same name have higher numbers. */
  async function oldVersions({ tenant_id, name, latest_version }: SkillRecord): Promise<Item[]> {
    const { pk, sk: upTo } = keys.skillVersion(tenant_id, name, latest_version);
    return rows.all({ pk, from: "V#", upTo }, { ProjectionExpression: "pk, sk, content_id, digest, version" });
  }

  return {
    async list(tenantId) {
      const found = await rows.all({ pk: keys.skill(tenantId, "").pk });
      return found.filter(({ sk, removed_at }) => sk !== "COUNTS" && removed_at === undefined).map(skillOf);
    },

    async get(tenantId, name) {
      const item = await rows.get(keys.skill(tenantId, name));
      return item?.revision === undefined ? undefined : skillOf(item);
    },

    async version(tenantId, name, version) {
      const item = await rows.get(keys.skillVersion(tenantId, name, version));
      return item && versionRecordSchema.parse(read(item));
    },

    async versions(tenantId, name) {
      const found = await rows.all(versionRows(tenantId, name), summary);
      return found.map((item) => versionSummarySchema.parse(item));
    },

    async versionOf(tenantId, name, digest) {
      return (await rows.get(keys.skillContent(tenantId, name, digest)))?.version as number | undefined;
    },

    async write(asked) {
      const { skill, added, dropped, environment, approval, entry } = asked;
      const { tenant_id: tenantId, name, revision } = skill;
      const counted = countsChange(asked);
      const writes: Write[] = [
        put(
          { ...keys.skill(tenantId, name), ...written(skill) },
          revision === 1 ? absent : when`revision = ${revision - 1}`,
        ),
        ...(counted ? [update(keys.skillCounts(tenantId), counted)] : []),
        ...(added ? versionPuts(added) : []),
        ...(dropped ? versionRemovals(dropped) : []),
        ...(environment ? [put({ ...keys.skillEnvironment(tenantId, name), ...environment })] : []),
        ...(environment === null ? [remove(keys.skillEnvironment(tenantId, name))] : []),
        ...(approval ? [put({ ...keys.skillApproval(tenantId, name), ...approval })] : []),
        ...(approval === null ? [remove(keys.skillApproval(tenantId, name))] : []),
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
          await rows.delete(keys.skillContent(tenantId, name, String(digest)), isOld);
          await rows.delete(keys.skillVersion(tenantId, name, Number(version)));
        },
        { concurrency: 8 },
      );
      const ends = change`SET expires_at = ${expiresAt("removalMark", Date.parse(removed_at))}`;
      await rows.update(keys.skill(tenantId, name), ends, when`revision = ${revision}`);
    },
  };
}

function versionPuts(version: VersionRecord): Write[] {
  const { tenant_id: tenantId, name, version: number, digest } = version;
  return [
    put({ ...keys.skillVersion(tenantId, name, number), ...written(version) }),
    put({ ...keys.skillContent(tenantId, name, digest), version: number }),
  ];
}

function versionRemovals({ tenant_id: tenantId, name, version, digest }: VersionRecord): Write[] {
  return [remove(keys.skillVersion(tenantId, name, version)), remove(keys.skillContent(tenantId, name, digest))];
}

/** The change of the workspace's counts, on the condition that there is room. */
function countsChange({ skills, active }: SkillChange): Change | undefined {
  if (!skills && !active) return undefined;
  const all = change`ADD skills ${skills ?? 0}, active ${active ?? 0}`;
  if (skills === 1) return joined(all, when`attribute_not_exists(skills) OR skills < ${workspaceLimits.skills}`);
  if (active === 1) return joined(all, when`attribute_not_exists(active) OR active < ${workspaceLimits.active}`);
  return all;
}

function skillOf(item: Item): SkillRecord {
  return skillRecordSchema.parse(read(item));
}

function written(record: SkillRecord | VersionRecord): Item {
  return mapped(record, (value) => JSON.stringify(value));
}

function read(item: Item): Item {
  return mapped(item, (value) => JSON.parse(String(value)));
}

function mapped(record: Item, convert: (value: unknown) => unknown): Item {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      asJson.includes(name) && value !== undefined ? convert(value) : value,
    ]),
  );
}
