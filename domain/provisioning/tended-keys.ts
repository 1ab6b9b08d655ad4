// All keys of the stack, once an hour: those whose tenant is gone are removed, since a creation that was cut off or a purge has left them,
// and the others get the policy of today, so that a stack's new parts may use keys that were made before them.
import type { Log } from "../kernel/log.ts";
import { type AuditEntry, auditEntry, platformTrail } from "../workspace/audit.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import type { TenantKeys } from "./tenant-key.ts";

/** A key, with the tenant that its tag names. */
type TaggedKey = { arn: string; tenantId: string };

export interface StackKeys {
  /** Every key of the stack. */
  ofStack(): AsyncIterable<TaggedKey>;
  isPendingDeletion(arn: string): Promise<boolean>;
  /** Gives the key the policy that new keys get. @returns false if it has that policy already */
  bringPolicy(arn: string): Promise<boolean>;
}

type OrphanedKeysDependencies = {
  keys: TenantKeys & StackKeys;
  tenants: Pick<TenantStore, "many">;
  /** The platform's trail has which creation was undone: of its workspace nothing is left that could. */
  audit: { note(entry: AuditEntry): Promise<void> };
  log: Log;
  clock: () => number;
  newId: () => string;
};

/** More keys without a tenant than these are no leftovers but a wrong table: none of them is touched. */
export const maxOrphans = 10;
/** The tenants of this many keys are looked up together. */
const batchSize = 100;

/** A purged tenant's keys wait for their deletion for 30 days, and are passed over. @throws Error if too many have no tenant */
export async function tendKeys(deps: OrphanedKeysDependencies): Promise<void> {
  const { keys, tenants, audit, log, clock, newId } = deps;
  const orphans: TaggedKey[] = [];
  let batch: TaggedKey[] = [];
  const look = async () => {
    const found = await tenants.many([...new Set(batch.map(({ tenantId }) => tenantId))]);
    const existing = new Set(found.map(({ tenant_id }) => tenant_id));
    for (const key of batch) {
      if (existing.has(key.tenantId)) await bringPolicy(keys, key, log);
      else if (!(await keys.isPendingDeletion(key.arn))) orphans.push(key);
    }
    batch = [];
  };
  for await (const key of keys.ofStack()) {
    batch.push(key);
    if (batch.length === batchSize) await look();
  }
  await look();
  if (orphans.length > maxOrphans) throw new Error(`${orphans.length} keys have no tenant: is this the right table?`);
  for (const { arn, tenantId } of orphans) {
    if (!(await keys.remove(arn))) continue;
    await keys.unname(tenantId);
    const undone = { tenant_id: platformTrail, actor: "tenant-keys", action: "tenant.undo", target: tenantId } as const;
    const what = { before: { kms_key: "done" } };
    await audit.note(auditEntry({ ...undone, ...what }, { id: newId(), now: clock() }));
    log.info("The key of a tenant that is gone was scheduled for deletion", { tenant_id: tenantId });
  }
}

/** Brings the policy of one key up to date. A key that cannot be changed is logged and does not stop the others. */
async function bringPolicy(keys: StackKeys, { arn, tenantId }: TaggedKey, log: Log): Promise<void> {
  try {
    if (await keys.bringPolicy(arn)) log.info("The policy of a tenant's key was renewed", { tenant_id: tenantId });
  } catch (error) {
    log.problem("The policy of a tenant's key could not be renewed", { tenant_id: tenantId }, error);
  }
}
