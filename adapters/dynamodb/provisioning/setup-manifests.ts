// The manifest's rows of what a tenant has outside the table, each claimed by one run at a time.
import type { SetupManifest } from "../../../domain/provisioning/setup-manifest.ts";
import type { OutsideStep } from "../../../domain/workspace/tenant.ts";
import { isUnchanged } from "../billing/customers.ts";
import { type Rows, setting } from "../rows.ts";
import { keys } from "../schema.ts";

/** The condition that the tenant exists and still lacks the step. */
const isPending = "contains(setup_pending, :step) AND #status <> :deleted";

export function setupManifest(rows: Rows): SetupManifest {
  const tenantCondition = (tenantId: string, step: OutsideStep) => ({
    Key: keys.tenant(tenantId),
    ConditionExpression: isPending,
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: { ":step": step, ":deleted": "deleted" } as Record<string, unknown>,
  });

  return {
    async claim(tenantId, step, { now, until }) {
      const hold = {
        Key: keys.manifest(tenantId, step),
        UpdateExpression:
          "SET kind = :kind, #state = :intended, intended_at = if_not_exists(intended_at, :at), claimed_until = :until " +
          "ADD attempts :one",
        ConditionExpression: "attribute_not_exists(claimed_until) OR claimed_until < :now",
        ExpressionAttributeNames: { "#state": "state" },
        ExpressionAttributeValues: {
          ":kind": step,
          ":intended": "intended",
          ":at": new Date(now).toISOString(),
          ":until": until,
          ":now": now,
          ":one": 1,
        },
      };
      const failed = await rows.transact([{ ConditionCheck: tenantCondition(tenantId, step) }, { Update: hold }]);
      if (failed !== undefined) return failed === 0 ? "gone" : "taken";
      const row = await rows.get(keys.manifest(tenantId, step));
      return { until, isRepeat: Number(row?.attempts) > 1, resource: row?.resource as string | undefined };
    },

    note: (tenantId, step, { resource, until }) =>
      rows.update(keys.manifest(tenantId, step), {
        UpdateExpression: "SET #resource = :resource",
        ConditionExpression: "claimed_until = :until",
        ExpressionAttributeNames: { "#resource": "resource" },
        ExpressionAttributeValues: { ":resource": resource, ":until": until },
      }),

    async done(tenantId, step, { resource, until, attributes, customer }) {
      const condition = tenantCondition(tenantId, step);
      const { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues } = setting(attributes);
      const failed = await rows.transact([
        {
          Update: {
            ...condition,
            UpdateExpression: `${UpdateExpression} DELETE setup_pending :steps`,
            ExpressionAttributeNames: { ...condition.ExpressionAttributeNames, ...ExpressionAttributeNames },
            ExpressionAttributeValues: {
              ...condition.ExpressionAttributeValues,
              ...ExpressionAttributeValues,
              ":steps": new Set([step]),
            },
          },
        },
        {
          Update: {
            Key: keys.manifest(tenantId, step),
            UpdateExpression: "SET #state = :done, #resource = :resource REMOVE claimed_until",
            ConditionExpression: "claimed_until = :until",
            ExpressionAttributeNames: { "#state": "state", "#resource": "resource" },
            ExpressionAttributeValues: { ":done": "done", ":resource": resource, ":until": until },
          },
        },
        ...(customer ? [isUnchanged(customer)] : []),
      ]);
      if (failed !== undefined) throw new Error(`${step} of tenant ${tenantId} was not held any more when it was done`);
    },

    async resource(tenantId, step) {
      return (await rows.get(keys.manifest(tenantId, step)))?.resource as string | undefined;
    },
  };
}
