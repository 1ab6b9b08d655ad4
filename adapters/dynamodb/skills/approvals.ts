// The owner's approvals of active skills in the table. An approval is written and removed in the transaction of its skill (skills.ts).
import type { SkillApprovalStore } from "../../../domain/skills/approval.ts";
import type { Rows } from "../rows.ts";
import { attribute, change, when } from "../write.ts";
import { skillApprovalRecord } from "./skill-approval.record.ts";

export function skillApprovalStore(rows: Rows): SkillApprovalStore {
  return {
    async of(tenantId, name) {
      return rows.read(skillApprovalRecord, { tenant_id: tenantId, name });
    },

    async forget(tenantId, skill, { name, secret_id }) {
      const secret = attribute(name);
      const isSame = when`secrets.${secret}.secret_id = ${secret_id}`;
      await rows.update(
        skillApprovalRecord.key({ tenant_id: tenantId, name: skill }),
        change`REMOVE secrets.${secret}.sealed`,
        isSame,
      );
    },
  };
}
