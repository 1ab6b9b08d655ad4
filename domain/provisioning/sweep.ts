// The sweep: finds creations that were cut off, tenants and people of earlier versions, keys that belong to no tenant, and
// invitations that nobody followed.
import type { Log } from "../kernel/log.ts";
import type { Queue } from "../kernel/queue.ts";
import type { AccountList, InvitedAccounts } from "../workspace/accounts.ts";
import { type ExpiryDependencies, expireInvitations } from "../workspace/expired-invitations.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import type { UserStore } from "../workspace/user.ts";
import type { TenantKeys } from "./tenant-key.ts";
import { completeSetup, type SetupDependencies, type SetupJob } from "./tenant-setup.ts";

/** Which walk over all people was finished last. */
export interface SweepProgress {
  walked(): Promise<number>;
  walkIs(version: number): Promise<void>;
}

/** Every key of the stack, with the tenant that its tag names. */
export interface StackKeys {
  ofStack(): AsyncIterable<{ arn: string; tenantId: string }>;
  isPendingDeletion(arn: string): Promise<boolean>;
}

export type SweepDependencies = SetupDependencies &
  ExpiryDependencies & {
    tenants: Pick<TenantStore, "get" | "many">;
    users: Pick<UserStore, "record" | "putProfile">;
    people: AccountList & InvitedAccounts;
    keys: TenantKeys & StackKeys;
    jobs: Queue<SetupJob>;
    progress: SweepProgress;
    log: Log;
    clock: () => number;
  };

/** A creation that is younger may still be running: a request ends after 29 s (tenant-creation.ts, `cutOffAfterMs`). */
export const settledAfterMs = 300_000;
/**
 * Raised when a creation gets an effect, or people a row, that those of before lack: all people are then walked through once more.
 * 1: directory, owned tenants, list of those who wait for approval, keys. 2: customers and subscriptions.
 */
export const walkVersion = 2;
/** Of a stack without billing: it is walked through once it has one. */
const walkVersionWithoutBilling = 1;
/** More keys without a tenant than these are no leftovers but a wrong table: none of them is touched. */
export const maxOrphans = 10;
/** Of BatchGetItem. */
const batchSize = 100;

/** What the schedule does. One part that fails holds up none of the others. @throws the first failure */
export async function sweep(deps: SweepDependencies): Promise<void> {
  const parts = [queueUnchecked, queueWalk, removeOrphanedKeys, expireInvitations];
  const failures: unknown[] = [];
  for (const part of parts) {
    try {
      await part(deps);
    } catch (error) {
      deps.log.problem("A part of the sweep failed", { part: part.name }, error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** What the queue does. */
export async function workOff(deps: SweepDependencies, job: SetupJob): Promise<void> {
  if (job.kind === "tenant") await completeSetup(deps, job.tenant_id);
  else await walkPeople(deps, job.after);
}

async function queueUnchecked({ setups, jobs, clock }: SweepDependencies): Promise<void> {
  const found: SetupJob[] = [];
  const until = new Date(clock() - settledAfterMs).toISOString();
  for await (const tenant_id of setups.unchecked(until)) found.push({ kind: "tenant", tenant_id });
  await jobs.sendAll(found);
}

const wantedWalk = ({ effects }: SweepDependencies) =>
  effects.stripe_subscription ? walkVersion : walkVersionWithoutBilling;

async function queueWalk(deps: SweepDependencies): Promise<void> {
  const { progress, jobs } = deps;
  if ((await progress.walked()) < wantedWalk(deps)) await jobs.send({ kind: "people" });
}

/**
 * Tenants of earlier versions are in no list, but their owners are in the identity provider's: no scan is needed. A page at a
 * time, the next one as a job of its own.
 */
async function walkPeople(deps: SweepDependencies, after: string | undefined): Promise<void> {
  const { people, users, jobs, progress } = deps;
  const { subs, next } = await people.list(after);
  for (const sub of subs) {
    const { profile, memberships } = await users.record(sub);
    // Writes the row by which those who wait are listed.
    if (profile?.approval_status === "pending") await users.putProfile(profile);
    const owned = memberships.filter(({ tenant_role }) => tenant_role === "owner");
    await jobs.sendAll(owned.map(({ tenant_id }) => ({ kind: "tenant", tenant_id })));
  }
  if (next === undefined) await progress.walkIs(wantedWalk(deps));
  else await jobs.send({ kind: "people", after: next });
}

/** A key whose tenant is gone. Of a tenant that is purged its keys wait for their deletion for 30 days, and are passed over. */
async function removeOrphanedKeys({ keys, tenants, log }: SweepDependencies): Promise<void> {
  const orphans: { arn: string; tenantId: string }[] = [];
  let batch: { arn: string; tenantId: string }[] = [];
  const look = async () => {
    const there = new Set((await tenants.many([...new Set(batch.map(({ tenantId }) => tenantId))])).map(idOf));
    for (const key of batch.filter(({ tenantId }) => !there.has(tenantId))) {
      if (!(await keys.isPendingDeletion(key.arn))) orphans.push(key);
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
    log.info("The key of a tenant that is gone was scheduled for deletion", { tenant_id: tenantId });
  }
}

const idOf = ({ tenant_id }: { tenant_id: string }) => tenant_id;
