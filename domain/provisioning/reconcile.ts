// Reconciling what is with what should be, once an hour: creations that were cut off, tenants and people of earlier versions, and
// invitations that nobody followed.
import * as z from "zod";
import type { Queue } from "../kernel/queue.ts";
import type { AccountList, InvitedAccounts } from "../workspace/accounts.ts";
import { type ExpiryDependencies, expireInvitations } from "../workspace/expired-invitations.ts";
import type { UserStore } from "../workspace/user.ts";
import { type CompletionDependencies, completeSetup } from "./setup-completion.ts";

export const setupJobSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("tenant"), tenant_id: z.string() }),
  /** A page of all people, from the beginning without `after`. */
  z.object({ kind: z.literal("people"), after: z.string().optional() }),
]);

export type SetupJob = z.output<typeof setupJobSchema>;

/** The last round over all people that was finished. */
export interface ReconcileProgress {
  finishedRound(): Promise<number>;
  finish(round: number): Promise<void>;
}

export type ReconcileDependencies = CompletionDependencies &
  ExpiryDependencies & {
    users: Pick<UserStore, "record" | "putProfile">;
    accounts: AccountList & InvitedAccounts;
    jobs: Queue<SetupJob>;
    progress: ReconcileProgress;
    clock: () => number;
  };

/** A creation that is younger may still be running: a request ends after 29 s (tenant-creation.ts, `cutOffAfterMs`). */
export const settledAfterMs = 300_000;
/**
 * Raised when a creation gets an effect, or a person a row, that earlier ones lack: all people are then processed once more.
 * 1: directory, owned tenants, list of those who wait for approval, keys. 2: customers and subscriptions.
 */
export const peopleRound = 2;
/** The round of a stack without billing. Once it bills, all people are gone through again. */
const peopleRoundWithoutBilling = 1;

/** Called by the schedule. One part that fails holds up none of the others. @throws the first failure */
export async function reconcile(deps: ReconcileDependencies): Promise<void> {
  const parts = [queueUnchecked, queuePeople, expireInvitations];
  const failures: unknown[] = [];
  for (const part of parts) {
    try {
      await part(deps);
    } catch (error) {
      deps.log.problem("A part of the reconciliation failed", { part: part.name }, error);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Called for each job of the queue. */
export async function processSetupJob(deps: ReconcileDependencies, job: SetupJob): Promise<void> {
  if (job.kind === "tenant") await completeSetup(deps, job.tenant_id);
  else await processPeople(deps, job.after);
}

async function queueUnchecked({ unchecked, jobs, clock }: ReconcileDependencies): Promise<void> {
  const found: SetupJob[] = [];
  const until = new Date(clock() - settledAfterMs).toISOString();
  for await (const tenantId of unchecked.unchecked(until)) found.push({ kind: "tenant", tenant_id: tenantId });
  await jobs.sendAll(found);
}

function wantedRound({ outside }: ReconcileDependencies): number {
  const bills = outside.some(({ steps }) => steps.includes("stripe_subscription"));
  return bills ? peopleRound : peopleRoundWithoutBilling;
}

async function queuePeople(deps: ReconcileDependencies): Promise<void> {
  const { progress, jobs } = deps;
  if ((await progress.finishedRound()) < wantedRound(deps)) await jobs.send({ kind: "people" });
}

/**
 * Tenants of earlier versions are in no list, but their owners are in the identity provider's: no scan is needed. A page at a
 * time, the next one as a job of its own.
 */
async function processPeople(deps: ReconcileDependencies, after: string | undefined): Promise<void> {
  const { accounts, users, jobs, progress } = deps;
  const { subs, next } = await accounts.list(after);
  for (const sub of subs) {
    const { profile, memberships } = await users.record(sub);
    // Writes the row by which those who wait are listed.
    if (profile?.approval_status === "pending") await users.putProfile(profile);
    const owned = memberships.filter(({ tenant_role }) => tenant_role === "owner");
    await jobs.sendAll(owned.map(({ tenant_id }) => ({ kind: "tenant", tenant_id })));
  }
  if (next === undefined) await progress.finish(wantedRound(deps));
  else await jobs.send({ kind: "people", after: next });
}
