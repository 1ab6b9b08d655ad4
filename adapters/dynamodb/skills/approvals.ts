// The owner's approvals of active skills in the table. An approval is written and removed in the transaction of its skill (skills.ts).
import { approvalRecordSchema, type SkillApprovalStore } from "../../../domain/skills/approval.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { attribute, change, when } from "../write.ts";

export function skillApprovalStore(rows: Rows): SkillApprovalStore {
  return {
    async of(tenantId, name) {
      return approvalRecordSchema.optional().parse(await rows.get(keys.skillApproval(tenantId, name)));
    },

    async forget(tenantId, skill, { name, secret_id }) {
      const secret = attribute(name);
      const isSame = when`secrets.${secret}.secret_id = ${secret_id}`;
      await rows.update(keys.skillApproval(tenantId, skill), change`REMOVE secrets.${secret}.sealed`, isSame);
    },
  };
}
