// The manifest's rows of what a tenant has outside the table, each claimed by one run at a time.
import type { SetupManifest } from "../../../domain/provisioning/setup-manifest.ts";
import type { OutsideStep } from "../../../domain/workspace/tenant.ts";
import { isUnchanged } from "../billing/customers.ts";
import type { Rows } from "../rows.ts";
import { tenantRecord } from "../workspace/tenant.record.ts";
import { change, check, joined, setting, update, when } from "../write.ts";
import { manifestRecord } from "./manifest.record.ts";

/** The condition that the tenant exists and still lacks the step. */
const isPending = (step: OutsideStep) => when`contains(setup_pending, ${step}) AND #status <> ${"deleted"}`;

export function setupManifest(rows: Rows): SetupManifest {
  return {
    async claim(tenantId, step, { now, until }) {
      const held = change`SET kind = ${step}, #state = ${"intended"}, intended_at = if_not_exists(intended_at, ${new Date(now).toISOString()}), claimed_until = ${until} ADD attempts ${1}`;
      const failed = await rows.transact([
        check(tenantRecord.key({ tenant_id: tenantId }), isPending(step)),
        update(
          manifestRecord.key({ tenant_id: tenantId, resource: step }),
          held,
          when`attribute_not_exists(claimed_until) OR claimed_until < ${now}`,
        ),
      ]);
      if (failed !== undefined) return failed === 0 ? "gone" : "taken";
      const row = await rows.read(manifestRecord, { tenant_id: tenantId, resource: step });
      return { until, isRepeat: (row?.attempts ?? 0) > 1, resource: row?.resource };
    },

    note: (tenantId, step, { resource, until }) =>
      rows.update(
        manifestRecord.key({ tenant_id: tenantId, resource: step }),
        setting({ resource }),
        when`claimed_until = ${until}`,
      ),

    async done(tenantId, step, { resource, until, attributes, customer }) {
      const carriedOut = joined(setting(attributes), change`DELETE setup_pending ${new Set([step])}`);
      const failed = await rows.transact([
        update(tenantRecord.key({ tenant_id: tenantId }), carriedOut, isPending(step)),
        update(
          manifestRecord.key({ tenant_id: tenantId, resource: step }),
          setting({ state: "done", resource, claimed_until: undefined }),
          when`claimed_until = ${until}`,
        ),
        ...(customer ? [isUnchanged(customer)] : []),
      ]);
      if (failed !== undefined) throw new Error(`${step} of tenant ${tenantId} was not held any more when it was done`);
    },

    async resource(tenantId, step) {
      return (await rows.read(manifestRecord, { tenant_id: tenantId, resource: step }))?.resource;
    },
  };
}
