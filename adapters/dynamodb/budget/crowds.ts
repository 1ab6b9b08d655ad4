// The calls in flight of a tenant in the table: one small item, with a number for each window in which calls began.
import type { Crowd, CrowdPlace } from "../../../domain/budget/crowd.ts";
import { windowMs } from "../../../domain/budget/crowd.ts";
import type { Rows } from "../rows.ts";
import { attribute, change, when } from "../write.ts";
import { crowdRecord } from "./crowd.record.ts";

const nameOf = (window: number) => `w#${window}`;

/** @param rows of a client that sends a write once: a repeat would count a call twice */
export function crowds(rows: Pick<Rows, "updated" | "update">): Crowd {
  return {
    async enter({ tenantId, window }) {
      const [now, before] = [nameOf(window), nameOf(window - 1)];
      const end = crowdRecord.expiresAt((window + 1) * windowMs);
      // Calls of windows before the last are over.
      const [old, older] = [attribute(nameOf(window - 2)), attribute(nameOf(window - 3))];
      const row = await rows.updated(
        crowdRecord.key({ tenant_id: tenantId }),
        change`SET expires_at = ${end} REMOVE ${old}, ${older} ADD ${attribute(now)} ${1}`,
      );
      return Number(row?.[now] ?? 0) + Math.max(0, Number(row?.[before] ?? 0));
    },

    async leave({ tenantId, window }: CrowdPlace) {
      const name = attribute(nameOf(window));
      await rows.update(
        crowdRecord.key({ tenant_id: tenantId }),
        change`ADD ${name} ${-1}`,
        when`attribute_exists(${name})`,
      );
    },
  };
}
