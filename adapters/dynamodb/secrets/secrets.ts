// Secrets of skills in the table, each under the tenant's key.
import { expiresAt, removalMark } from "../../../domain/kernel/retention.ts";
import type { SecretStore } from "../../../domain/secrets/secret.ts";
import { workspaceLimits } from "../../../domain/skills/limits.ts";
import { contended } from "../client.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, change, joined, put, update, when } from "../write.ts";
import { skillSecretCountsRecord, skillSecretRecord } from "./skill-secret.record.ts";

/** The sort key of the counts. No secret's name begins as it does. */
const countsKey = skillSecretCountsRecord.key({ tenant_id: "" }).sk;

export function secretStore(rows: Rows): SecretStore {
  return {
    async list(tenantId) {
      const found = await rows.all({ pk: skillSecretRecord.range({ tenant_id: tenantId }).pk });
      const there = found.filter(({ sk, removed_at }) => sk !== countsKey && removed_at === undefined);
      return there.map((item) => skillSecretRecord.parse(item));
    },

    async get(tenantId, name) {
      return rows.read(skillSecretRecord, { tenant_id: tenantId, name });
    },

    async write(secret, entry, more) {
      const { tenant_id: tenantId, name, revision, removed_at } = secret;
      const expires = removed_at !== undefined && { expires_at: expiresAt(removalMark, Date.parse(removed_at)) };
      const isNext = revision === 1 ? absent : when`revision = ${revision - 1}`;
      const isRoom = when`attribute_not_exists(secrets) OR secrets < ${workspaceLimits.secrets}`;
      const counted = change`ADD secrets ${more ?? 0}`;
      const failed = await rows.transact(
        [
          put({ ...skillSecretRecord.key({ tenant_id: tenantId, name }), ...secret, ...expires }, isNext),
          ...(more
            ? [
                update(
                  skillSecretCountsRecord.key({ tenant_id: tenantId }),
                  more === 1 ? joined(counted, isRoom) : counted,
                ),
              ]
            : []),
          auditPut(entry),
        ],
        contended,
      );
      if (failed === undefined) return "written";
      return failed === 0 ? "outrun" : "full";
    },
  };
}
