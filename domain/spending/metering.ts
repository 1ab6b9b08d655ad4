// The meter: what keeps the accounting right behind the proxy. A job walks through the active callers of a shard, tenant by
// tenant: it reclaims the reservations of dead functions and closes the hours that are over. Every step may be repeated.
import pMap from "p-map";
import type { Log } from "../log.ts";
import { hourOf, monthOf, startOfHour } from "../period.ts";
import type { ActiveCaller, ActiveCallerStore } from "./active-caller.ts";
import type { Closing } from "./closing.ts";
import type { MeteringJob } from "./metering-job.ts";
import {
  advanced,
  hoursDue,
  isComplete,
  type MeteringProgressStore,
  progressFrom,
  type TenantProgress,
} from "./metering-progress.ts";
import type { Reclaim } from "./reclaim.ts";
import type { LateCorrections } from "./report.ts";
import { markOf, type WorkspaceCapStore } from "./workspace-cap.ts";

export type MeteringDependencies = {
  activeCallers: ActiveCallerStore;
  reclaim: Pick<Reclaim, "spending">;
  closing: Pick<Closing, "close" | "rollUpAgain">;
  progress: MeteringProgressStore;
  lateCorrections: Pick<LateCorrections, "of">;
  caps: WorkspaceCapStore;
  log: Log;
  clock: () => number;
};

/** Some tenants' accounting could not be done; all others' is. */
export class MeteringFailed extends Error {
  readonly failures: number;

  constructor({ month, shard }: MeteringJob, failures: number) {
    super(`${failures} of the tenants of shard ${shard} of ${month} failed`);
    this.failures = failures;
  }
}

/** A tenant's callers in a month, as far as they were walked through. Small, however many there are. */
type TenantMonth = {
  tenantId: string;
  /** When the first of its callers was admitted first, in milliseconds. */
  since: number;
  /** No call was admitted after that. */
  until: number;
  /** By all of its callers that could be looked at, in nano-USD. */
  spent: number;
  /** Hours with calls in flight. */
  standing: Set<string>;
  problem: unknown;
};

/** Tenants, and callers of one page, at a time. */
const concurrency = 4;

export class Meter {
  readonly #deps: MeteringDependencies;

  constructor(deps: MeteringDependencies) {
    this.#deps = deps;
  }

  /**
   * A repeat passes over what is done.
   * @throws MeteringFailed once everything is done that could be
   */
  async run(job: MeteringJob): Promise<void> {
    const { month, shard } = job;
    const { progress, clock } = this.#deps;
    if (await progress.isDone(month, shard)) return;
    const counts = { tenants: 0, open: 0, failures: 0 };
    // Corrections come late for any month; this month's job looks after them.
    if (month === monthOf(clock())) counts.failures += await this.#rollUpLate(shard);
    await pMap(
      this.#tenants(job),
      async (tenant) => {
        counts.tenants += 1;
        let hasFailed = false;
        const failed = (message: string) => (problem: unknown) => {
          hasFailed = true;
          this.#deps.log.problem(message, { tenant_id: tenant.tenantId, month }, problem);
        };
        await this.#markCap(month, tenant).catch(failed("a tenant's cap could not be compared"));
        const isDone = await this.#tenant(month, tenant).catch(failed("a tenant's hours could not be closed"));
        if (hasFailed) counts.failures += 1;
        else if (!isDone) counts.open += 1;
      },
      { concurrency },
    );
    if (counts.tenants > 0) this.#deps.log.info("metering job", { ...job, ...counts });
    if (counts.failures > 0) throw new MeteringFailed(job, counts.failures);
    if (counts.open === 0 && month < monthOf(clock())) await progress.done(month, shard);
  }

  /** @returns how many failed */
  async #rollUpLate(shard: number): Promise<number> {
    let failures = 0;
    await pMap(
      this.#deps.lateCorrections.of(shard),
      async (carry) => {
        try {
          await this.#deps.closing.rollUpAgain(carry);
        } catch (problem) {
          failures += 1;
          const facts = { tenant_id: carry.tenant_id, request_id: carry.id };
          this.#deps.log.problem("a corrected hour could not be rolled up", facts, problem);
        }
      },
      { concurrency },
    );
    return failures;
  }

  /** Each once all of its callers were walked through: those of a tenant come one after the other. */
  async *#tenants({ month, shard }: MeteringJob): AsyncGenerator<TenantMonth> {
    let current: TenantMonth | undefined;
    for await (const page of this.#deps.activeCallers.of(month, shard)) {
      const walked = await pMap(page, (caller) => this.#caller(caller), { concurrency });
      for (const next of walked) {
        if (current && current.tenantId !== next.tenantId) yield current;
        current = current?.tenantId === next.tenantId ? together(current, next) : next;
      }
    }
    if (current) yield current;
  }

  /** Reclaims what the caller's dead functions left. Never rejects. */
  async #caller(caller: ActiveCaller): Promise<TenantMonth> {
    const { key } = caller;
    const { tenantId } = key;
    const failed = (problem: unknown): TenantMonth => {
      const facts = { tenant_id: tenantId, caller_id: key.callerId, month: key.month };
      this.#deps.log.problem("a caller's reservations could not be looked at", facts, problem);
      return {
        tenantId,
        since: Number.POSITIVE_INFINITY,
        until: Number.POSITIVE_INFINITY,
        spent: 0,
        standing: new Set(),
        problem,
      };
    };
    if ("problem" in caller) return failed(caller.problem);
    const { spending, firstAdmittedAt } = caller;
    try {
      const { reclaimed } = await this.#deps.reclaim.spending(key, spending);
      for (const { requestId } of reclaimed) {
        this.#deps.log.info("reservation reclaimed", { request_id: requestId, tenant_id: tenantId });
      }
    } catch (problem) {
      return failed(problem);
    }
    // Those just reclaimed too: whether they are, the next job sees.
    const standing = new Set(spending.reservations.map(({ admittedAt }) => hourOf(admittedAt)));
    // Each admission moves `tat` beyond its own time (rate-limit.ts).
    const { spent, tat } = spending;
    return { tenantId, since: firstAdmittedAt, until: tat / 1000, spent, standing, problem: undefined };
  }

  /** Of this month alone: what was spent in another stops nobody. */
  async #markCap(month: string, { tenantId, spent, problem }: TenantMonth): Promise<void> {
    const { caps, clock } = this.#deps;
    if (month !== monthOf(clock())) return;
    const cap = await caps.of(tenantId);
    if (!cap) return;
    const from = cap.capped_month;
    const to = markOf(cap, { month, spent, isWhole: problem === undefined });
    if (from?.month !== to?.month || from?.spent !== to?.spent) await caps.mark(tenantId, { from, to });
  }

  /**
   * Closes what can be closed, and writes down how far that is.
   * @returns whether the month is done
   * @throws what went wrong with an hour; those after it are left to a repeat
   */
  async #tenant(month: string, tenant: TenantMonth): Promise<boolean> {
    const { tenantId, standing } = tenant;
    // A caller that could not be looked at may have calls in flight in any hour.
    if (tenant.problem !== undefined) throw tenant.problem;
    const { progress, clock } = this.#deps;
    const before = (await progress.of(tenantId, month)) ?? progressFrom(month, tenant.since);
    const due = hoursDue(before, month, clock());
    const looked: string[] = [];
    const waiting: string[] = [];
    let problem: unknown;
    try {
      for (const hour of due) {
        if (!(await this.#close(tenant, hour))) waiting.push(hour);
        looked.push(hour);
      }
    } catch (error) {
      problem = error;
    }
    const after = advanced(before, looked, waiting);
    if (hasMoved(before, after)) await progress.advance(tenantId, month, after);
    if (problem !== undefined) throw problem;
    return isComplete(after, month) && standing.size === 0;
  }

  /** @returns whether it is closed */
  async #close({ tenantId, standing, until }: TenantMonth, hour: string): Promise<boolean> {
    if (standing.has(hour)) return false;
    return startOfHour(hour) > until || this.#deps.closing.close(tenantId, hour);
  }
}

function together(one: TenantMonth, other: TenantMonth): TenantMonth {
  return {
    tenantId: one.tenantId,
    since: Math.min(one.since, other.since),
    until: Math.max(one.until, other.until),
    spent: one.spent + other.spent,
    standing: new Set([...one.standing, ...other.standing]),
    problem: one.problem ?? other.problem,
  };
}

function hasMoved(before: TenantProgress, after: TenantProgress): boolean {
  return before.next !== after.next || before.waiting.join() !== after.waiting.join();
}
