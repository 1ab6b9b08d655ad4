// The manifest's rows of what a tenant has outside the table, each claimed by one run at a time.
import type { SetupManifest } from "../../../domain/provisioning/setup-manifest.ts";
import type { OutsideStep } from "../../../domain/workspace/tenant.ts";
import { isUnchanged } from "../billing/customers.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { change, check, joined, setting, update, when } from "../write.ts";

/** The condition that the tenant exists and still lacks the step. */
const isPending = (step: OutsideStep) => when`contains(setup_pending, ${step}) AND #status <> ${"deleted"}`;

export function setupManifest(rows: Rows): SetupManifest {
  return {
    async claim(tenantId, step, { now, until }) {
      const held = change`SET kind = ${step}, #state = ${"intended"}, intended_at = if_not_exists(intended_at, ${new Date(now).toISOString()}), claimed_until = ${until} ADD attempts ${1}`;
      const failed = await rows.transact([
        check(keys.tenant(tenantId), isPending(step)),
        update(
          keys.manifest(tenantId, step),
          held,
          when`attribute_not_exists(claimed_until) OR claimed_until < ${now}`,
        ),
      ]);
      if (failed !== undefined) return failed === 0 ? "gone" : "taken";
      const row = await rows.get(keys.manifest(tenantId, step));
      return { until, isRepeat: Number(row?.attempts) > 1, resource: row?.resource as string | undefined };
    },

    note: (tenantId, step, { resource, until }) =>
      rows.update(keys.manifest(tenantId, step), setting({ resource }), when`claimed_until = ${until}`),

    async done(tenantId, step, { resource, until, attributes, customer }) {
      const carriedOut = joined(setting(attributes), change`DELETE setup_pending ${new Set([step])}`);
      const failed = await rows.transact([
        update(keys.tenant(tenantId), carriedOut, isPending(step)),
        update(
          keys.manifest(tenantId, step),
          setting({ state: "done", resource, claimed_until: undefined }),
          when`claimed_until = ${until}`,
        ),
        ...(customer ? [isUnchanged(customer)] : []),
      ]);
      if (failed !== undefined) throw new Error(`${step} of tenant ${tenantId} was not held any more when it was done`);
    },

    async resource(tenantId, step) {
      return (await rows.get(keys.manifest(tenantId, step)))?.resource as string | undefined;
    },
  };
}
