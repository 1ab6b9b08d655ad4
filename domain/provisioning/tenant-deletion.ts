// Deleting a workspace: it is closed at once, billed for its last calls a little later, and purged 14 days after.
import type { Queue } from "../kernel/queue.ts";
import { retentionMs } from "../kernel/retention.ts";
import { type Mails, tell } from "../mails/tell.ts";
import { workspaceDeleted } from "../mails/workspace-deleted.ts";
import type { UserStore } from "../people/user.ts";
import type { Tenant } from "../workspace/tenant.ts";
import { type ChangeDependencies, changeTenant, softDeleted } from "../workspace/tenant-change.ts";
import { deletedTenantRetention, settlingSeconds } from "./purge.ts";
import type { SetupJob } from "./reconcile.ts";

/** The log's word for a mail that could not be sent. */
const notMailed = "deletion_not_mailed";

type DeletionDependencies = ChangeDependencies &
  Mails & { users: Pick<UserStore, "record">; setupJobs: Pick<Queue<SetupJob>, "send"> };

/** @param expected versions of which the tenant must have one; undefined accepts any */
type Asked = { actor: string; expected?: readonly string[] | undefined };

/**
 * @param tenant as it was just read. A deleted one stays as it is, and its owner gets no second mail, nor one for each of two requests at once.
 * @throws Refusal precondition_failed or changed_meanwhile.
 */
export async function deleteTenant(
  deps: DeletionDependencies,
  tenant: Tenant,
  { actor, expected }: Asked,
): Promise<void> {
  const { setupJobs, clock, log } = deps;
  const now = clock();
  const { tenant_id, deleted_at } = await changeTenant(deps, tenant, {
    actor,
    action: "tenant.delete",
    expected,
    change: (current) => softDeleted(current, now),
  });
  // The tenant's billing ends once its last calls are over. If the job cannot be sent, the reconciliation finds the tenant later.
  const job = setupJobs.send({ kind: "tenant", tenant_id }, settlingSeconds);
  await job.catch((error) => log.problem("The reconciliation will end this tenant's billing", { tenant_id }, error));
  // The time of the first deletion stays: another one than this is an earlier request's, which has told the owner.
  if (deleted_at !== new Date(now).toISOString()) return;
  await tellOwner(deps, tenant, now).catch((error) => log.problem(notMailed, { tenant_id }, error));
}

async function tellOwner(deps: DeletionDependencies, tenant: Tenant, now: number): Promise<void> {
  const { name, slug, has_payment_method: isPaying } = tenant;
  const { profile } = await deps.users.record(tenant.owner_sub);
  const purgedAt = now + retentionMs(deletedTenantRetention);
  const words = workspaceDeleted({ workspace: { name, slug }, isPaying, purgedAt }, deps.platform);
  if (profile) await tell(deps, profile, words, notMailed);
}
