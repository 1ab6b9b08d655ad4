// The environments of skills in the table.
import type { EnvironmentStore } from "../../../domain/skills/environment.ts";
import type { Rows } from "../rows.ts";
import { skillEnvironmentRecord } from "./skill-environment.record.ts";

export function environmentStore(rows: Rows): EnvironmentStore {
  return {
    async of(tenantId, name) {
      return (await rows.read(skillEnvironmentRecord, { tenant_id: tenantId, name }))?.env ?? {};
    },
  };
}
