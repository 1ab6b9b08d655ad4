// Reconciling what is with what should be, once an hour: creations that were cut off, workspaces from before the stack billed, and
// invitations and sign-ups that nobody followed.
import pMap from "p-map";
import * as z from "zod";
import type { CustomerStore } from "../billing/customer.ts";
import { dayMs } from "../kernel/period.ts";
import type { Queue } from "../kernel/queue.ts";
import type { AccountList, InvitedAccounts, UnconfirmedAccounts } from "../people/accounts.ts";
import { type ExpiryDependencies, expireInvitations } from "../people/expired-invitations.ts";
import { expireSignUps } from "../people/expired-sign-ups.ts";
import type { UserStore } from "../people/user.ts";
import { type CompletionDependencies, completeSetup } from "./setup-completion.ts";

export const setupJobSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("tenant"), tenant_id: z.string() }),
  /** The next pages of all people. */
  z.object({ kind: z.literal("people") }),
  /** An owner whose state at the payment provider nobody has read for a day. */
  z.object({ kind: z.literal("customer"), owner_sub: z.string() }),
]);

export type SetupJob = z.output<typeof setupJobSchema>;

/** How far the round over all people has come. A stack that begins to bill makes it once. */
export type PeopleProgress = { isFinished: boolean; after?: string | undefined };

export interface ReconcileProgress {
  read(): Promise<PeopleProgress>;
  write(progress: PeopleProgress): Promise<void>;
}

export type ReconcileDependencies = CompletionDependencies &
  ExpiryDependencies & {
    users: Pick<UserStore, "record">;
    accounts: AccountList & InvitedAccounts & UnconfirmedAccounts;
    jobs: Queue<SetupJob>;
    progress: ReconcileProgress;
    customers: Pick<CustomerStore, "unread">;
    /** Undefined in a stack without billing. */
    refreshPayments?: ((ownerSub: string) => Promise<void>) | undefined;
    clock: () => number;
  };

/** A creation that is younger may still be running: a request ends after 29 s (tenant-creation.ts, `cutOffAfterMs`). */
const settledAfterMs = 300_000;
/** No page of people is begun after this part of the function's 30 s (handlers/reconcile/contract.ts). */
const pagesForMs = 15_000;
const peopleAtOnce = 8;

/** Runs all parts, as the schedule asks. One part that fails does not stop the others. @throws the first failure */
export async function reconcile(deps: ReconcileDependencies): Promise<void> {
  const parts = [queueUnchecked, queuePeople, queueCustomers, expireInvitations, expireSignUps];
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

/** Carries out one job of the queue. */
export async function processSetupJob(deps: ReconcileDependencies, job: SetupJob): Promise<void> {
  if (job.kind === "tenant") await completeSetup(deps, job.tenant_id);
  else if (job.kind === "customer") await deps.refreshPayments?.(job.owner_sub);
  else await processPeople(deps);
}

async function queueUnchecked({ unchecked, jobs, clock }: ReconcileDependencies): Promise<void> {
  const found: SetupJob[] = [];
  const until = new Date(clock() - settledAfterMs).toISOString();
  for await (const tenantId of unchecked.unchecked(until)) found.push({ kind: "tenant", tenant_id: tenantId });
  await jobs.sendAll(found);
}

/** Queues customers whose state nobody has read for a day: a lost event of the payment provider delays a change by a day at most. */
async function queueCustomers({ customers, refreshPayments, jobs, clock }: ReconcileDependencies): Promise<void> {
  if (!refreshPayments) return;
  const found: SetupJob[] = [];
  for await (const sub of customers.unread(new Date(clock() - dayMs).toISOString())) {
    found.push({ kind: "customer", owner_sub: sub });
  }
  await jobs.sendAll(found);
}

const bills = ({ outside }: ReconcileDependencies) =>
  outside.some(({ steps }) => steps.includes("stripe_subscription"));

async function queuePeople(deps: ReconcileDependencies): Promise<void> {
  const { progress, jobs } = deps;
  if (bills(deps) && !(await progress.read()).isFinished) await jobs.send({ kind: "people" });
}

/**
 * Workspaces from before the stack billed are in no list, but their owners are in the identity provider's: no scan is needed. The progress is
 * kept after each page, and the next hour's job continues there. A job does not queue the next one: Lambda stops a function that starts
 * itself some sixteen times (docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html).
 */
async function processPeople(deps: ReconcileDependencies): Promise<void> {
  const { accounts, progress, clock } = deps;
  const until = clock() + pagesForMs;
  let at = await progress.read();
  while (bills(deps) && !at.isFinished && clock() < until) {
    const { subs, next } = await accounts.list(at.after);
    await pMap(subs, (sub) => queueWorkspaces(deps, sub), { concurrency: peopleAtOnce });
    at = { isFinished: next === undefined, after: next };
    await progress.write(at);
  }
}

/** Queues the workspaces that the person owns. */
async function queueWorkspaces({ users, jobs }: ReconcileDependencies, sub: string): Promise<void> {
  const { memberships } = await users.record(sub);
  const owned = memberships.filter(({ tenant_role }) => tenant_role === "owner");
  await jobs.sendAll(owned.map(({ tenant_id }) => ({ kind: "tenant", tenant_id })));
}
