// The environments of skills in the table.
import { type EnvironmentStore, environmentRecordSchema } from "../../../domain/skills/environment.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";

export function environmentStore(rows: Rows): EnvironmentStore {
  return {
    async of(tenantId, name) {
      const item = await rows.get(keys.skillEnvironment(tenantId, name));
      return item ? environmentRecordSchema.parse(item).env : {};
    },
  };
}
