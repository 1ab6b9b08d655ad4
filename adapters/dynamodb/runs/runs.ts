// Runs of skills and the workspace's use of them in the table.
import type { RunRecord } from "../../../domain/runs/run.ts";
import type { RunStore } from "../../../domain/runs/run-store.ts";
import type { RunUse } from "../../../domain/runs/run-use.ts";
import type { Rows } from "../rows.ts";
import { absent, follows, type Item, put, when } from "../write.ts";
import { skillRunRecord } from "./skill-run.record.ts";
import { skillUseRecord } from "./skill-use.record.ts";

export function runStore(rows: Rows): RunStore {
  const useItem = (tenantId: string, use: RunUse) => ({ ...skillUseRecord.key({ tenant_id: tenantId }), ...use });

  return {
    async get({ tenantId, skill, id }) {
      return rows.read(skillRunRecord, { tenant_id: tenantId, skill, run_id: id });
    },

    async list(tenantId, skill, { limit, after }, isAsked = () => true) {
      const found: RunRecord[] = [];
      let last: Item | undefined =
        after === undefined ? undefined : skillRunRecord.key({ tenant_id: tenantId, skill, run_id: after });
      const { pk, sk: prefix } = skillRunRecord.key({ tenant_id: tenantId, skill, run_id: "" });
      do {
        const options = { ScanIndexForward: false, Limit: limit, ExclusiveStartKey: last };
        const { Items = [], LastEvaluatedKey } = await rows.query({ pk, prefix }, options);
        found.push(...Items.map((item) => skillRunRecord.parse(item)).filter(isAsked));
        last = LastEvaluatedKey;
      } while (last && found.length < limit);
      const items = found.slice(0, limit);
      return { items, next: last || found.length > limit ? items.at(-1)?.run_id : undefined };
    },

    use: (tenantId) => rows.read(skillUseRecord, { tenant_id: tenantId }),

    async write(run, from, use) {
      const ofRun = put(runItem(run), from === undefined ? absent : when`#status = ${from}`);
      const ofUse = use ? [put(useItem(run.tenant_id, use), follows(use.version))] : [];
      return (await rows.transact([ofRun, ...ofUse])) === undefined;
    },
  };
}

function runItem(run: RunRecord): Item {
  const { tenant_id, skill, run_id, queued_at } = run;
  return {
    ...skillRunRecord.key({ tenant_id, skill, run_id }),
    ...run,
    expires_at: skillRunRecord.expiresAt(Date.parse(queued_at)),
  };
}
