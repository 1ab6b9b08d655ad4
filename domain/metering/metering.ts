// The meter: what keeps the accounting right behind the proxy. A job walks through the active callers of a shard, tenant by
// tenant: it reclaims the reservations of dead functions and closes the hours that are over. Every step may be repeated.
import pMap from "p-map";
import type { ActiveCaller, ActiveCallerStore } from "../budget/active-caller.ts";
import type { Reclaim } from "../budget/reclaim.ts";
import { markOf, type WorkspaceCap, type WorkspaceCapStore } from "../budget/workspace-cap.ts";
import type { Log } from "../kernel/log.ts";
import { parseUsd } from "../kernel/money.ts";
import { hourOf, monthOf, startOfHour } from "../kernel/period.ts";
import {
  advanced,
  hoursDue,
  isComplete,
  type MeteringProgressStore,
  progressFrom,
  type TenantProgress,
} from "../ledger/metering-progress.ts";
import type { Due } from "../notices/notice.ts";
import { mostNotices, type Notices } from "../notices/notices.ts";
import type { Closing } from "./closing.ts";
import type { MeteringJob } from "./metering-job.ts";
import type { LateCorrections } from "./report.ts";
import { type TenantMonth, together } from "./tenant-month.ts";

export type MeteringDependencies = {
  activeCallers: ActiveCallerStore;
  reclaim: Pick<Reclaim, "spending">;
  closing: Pick<Closing, "close" | "rollUpAgain">;
  progress: MeteringProgressStore;
  lateCorrections: Pick<LateCorrections, "of">;
  caps: WorkspaceCapStore;
  /** None where nobody mails. */
  notices?: Pick<Notices, "ofCallers" | "ofCap" | "send"> | undefined;
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
          return undefined;
        };
        const cap = await this.#markCap(month, tenant).catch(failed("a tenant's cap could not be compared"));
        await this.#notify(month, tenant, cap);
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
      const [walked, due] = await Promise.all([
        pMap(page, (caller) => this.#caller(caller), { concurrency }),
        this.#due(month, page),
      ]);
      const ofTenant = Map.groupBy(due, ({ subject }) => subject.tenant_id);
      for (const one of walked) {
        const next = { ...one, due: ofTenant.get(one.tenantId) ?? [] };
        ofTenant.delete(one.tenantId);
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
        due: [],
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
    return { tenantId, since: firstAdmittedAt, until: tat / 1000, spent, standing, due: [], problem: undefined };
  }

  /** Of this month alone: what was spent in another stops nobody. */
  async #markCap(month: string, { tenantId, spent, problem }: TenantMonth): Promise<WorkspaceCap | undefined> {
    const { caps, clock } = this.#deps;
    if (month !== monthOf(clock())) return undefined;
    const cap = await caps.of(tenantId);
    if (!cap) return undefined;
    const from = cap.capped_month;
    const to = markOf(cap, { month, spent, isWhole: problem === undefined });
    if (from?.month !== to?.month || from?.spent !== to?.spent) await caps.mark(tenantId, { from, to });
    return cap;
  }

  /** What is to be mailed of a page of callers. Mails are nothing that metering waits for or fails by: the next run is soon. */
  async #due(month: string, page: readonly ActiveCaller[]): Promise<Due[]> {
    const { notices, clock, log } = this.#deps;
    if (!notices || month !== monthOf(clock())) return [];
    return notices.ofCallers(page).catch((problem) => {
      log.problem("callers' notices could not be found", { month }, problem);
      return [];
    });
  }

  async #notify(month: string, { tenantId, spent, due }: TenantMonth, cap: WorkspaceCap | undefined): Promise<void> {
    const { notices, log } = this.#deps;
    if (!notices) return;
    try {
      const limit = cap?.monthly_cap_usd;
      const ofCap =
        limit === undefined ? [] : await notices.ofCap(tenantId, month, { used: spent, limit: parseUsd(limit) });
      await notices.send([...ofCap, ...due].slice(0, mostNotices));
    } catch (problem) {
      log.problem("a tenant's notices could not be sent", { tenant_id: tenantId, month }, problem);
    }
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

function hasMoved(before: TenantProgress, after: TenantProgress): boolean {
  return before.next !== after.next || before.waiting.join() !== after.waiting.join();
}
