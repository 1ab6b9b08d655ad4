// Runs of skills and the workspace's use of them in the table.
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { type RunRecord, runRecordSchema } from "../../../domain/runs/run.ts";
import type { RunStore } from "../../../domain/runs/run-store.ts";
import type { RunUse } from "../../../domain/runs/run-use.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { absent, follows, type Item, put, when } from "../write.ts";

export function runStore(rows: Rows): RunStore {
  const useItem = (tenantId: string, use: RunUse) => ({ ...keys.skillUse(tenantId), ...use });

  return {
    async get({ tenantId, skill, id }) {
      const item = await rows.get(keys.skillRun(tenantId, skill, id));
      return item && runRecordSchema.parse(item);
    },

    async list(tenantId, skill, { limit, after }, isAsked = () => true) {
      const found: RunRecord[] = [];
      let last: Item | undefined = after === undefined ? undefined : keys.skillRun(tenantId, skill, after);
      const { pk, sk: prefix } = keys.skillRun(tenantId, skill, "");
      do {
        const options = { ScanIndexForward: false, Limit: limit, ExclusiveStartKey: last };
        const { Items = [], LastEvaluatedKey } = await rows.query({ pk, prefix }, options);
        found.push(...Items.map((item) => runRecordSchema.parse(item)).filter(isAsked));
        last = LastEvaluatedKey;
      } while (last && found.length < limit);
      const items = found.slice(0, limit);
      return { items, next: last || found.length > limit ? items.at(-1)?.run_id : undefined };
    },

    use: async (tenantId) => (await rows.get(keys.skillUse(tenantId))) as RunUse | undefined,

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
    ...keys.skillRun(tenant_id, skill, run_id),
    ...run,
    expires_at: expiresAt("skillRun", Date.parse(queued_at)),
  };
}
