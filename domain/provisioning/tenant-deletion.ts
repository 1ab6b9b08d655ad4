// Deleting a workspace: it is closed at once, billed for its last calls a little later, and purged 14 days after.
import type { Queue } from "../kernel/queue.ts";
import { retention } from "../kernel/retention.ts";
import { type Mails, tell } from "../mails/tell.ts";
import { workspaceDeleted } from "../mails/workspace-deleted.ts";
import type { UserStore } from "../people/user.ts";
import type { Tenant } from "../workspace/tenant.ts";
import { type ChangeDependencies, changeTenant, softDeleted } from "../workspace/tenant-change.ts";
import { settlingSeconds } from "./purge.ts";
import type { SetupJob } from "./reconcile.ts";

const dayMs = 86_400_000;
/** What the log calls a mail that could not be sent. */
const notMailed = "deletion_not_mailed";

type DeletionDependencies = ChangeDependencies &
  Mails & { users: Pick<UserStore, "record">; setupJobs: Pick<Queue<SetupJob>, "send"> };

/** @param expected versions of which the tenant must have one; undefined accepts any */
type Asked = { actor: string; expected?: readonly string[] | undefined };

/**
 * @param tenant as it was just read. A deleted one stays as it is, and its owner gets no second mail.
 * @throws Refusal precondition_failed or changed_meanwhile.
 */
export async function deleteTenant(
  deps: DeletionDependencies,
  tenant: Tenant,
  { actor, expected }: Asked,
): Promise<void> {
  const { setupJobs, clock, log } = deps;
  const now = clock();
  const { tenant_id } = await changeTenant(deps, tenant, {
    actor,
    action: "tenant.delete",
    expected,
    change: (current) => softDeleted(current, now),
  });
  // The tenant's billing ends once its last calls are over. If the job cannot be sent, the reconciliation finds the tenant later.
  const job = setupJobs.send({ kind: "tenant", tenant_id }, settlingSeconds);
  await job.catch((error) => log.problem("The reconciliation will end this tenant's billing", { tenant_id }, error));
  if (tenant.status === "deleted") return;
  await tellOwner(deps, tenant, now).catch((error) => log.problem(notMailed, { tenant_id }, error));
}

async function tellOwner(deps: DeletionDependencies, tenant: Tenant, now: number): Promise<void> {
  const { name, slug, has_payment_method: isPaying } = tenant;
  const { profile } = await deps.users.record(tenant.owner_sub);
  const purgedAt = now + retention.deletedTenant.days * dayMs;
  const words = workspaceDeleted({ workspace: { name, slug }, isPaying, purgedAt }, deps.platform);
  if (profile) await tell(deps, profile, words, notMailed);
}
