// The meter: keeps the accounting right after the calls. A job reads the active callers of a shard, tenant by tenant, reclaims the
// reservations of functions that died, and closes the hours that are over. Every step may be repeated.
import pMap from "p-map";
import type { AllowanceStore } from "../budget/allowance.ts";
import type { Reclaim } from "../budget/reclaim.ts";
import type { ActiveCaller, ActiveCallerStore } from "../budget/spending.ts";
import { type UnexplainedStore, markOf as unexplainedMarkOf } from "../budget/unexplained.ts";
import { markOf, type WorkspaceCap, type WorkspaceCapStore } from "../budget/workspace-cap.ts";
import type { Log } from "../kernel/log.ts";
import { type NanoUsd, parseUsd } from "../kernel/money.ts";
import { hourOf, monthOf, startOfHour } from "../kernel/period.ts";
import {
  advanced,
  hoursDue,
  isComplete,
  type MeteringProgressStore,
  progressFrom,
  type TenantProgress,
} from "../ledger/metering-progress.ts";
import { type DueNotices, maxNotices } from "../notices/due-notices.ts";
import type { DueNotice } from "../notices/notice.ts";
import type { Closing } from "./closing.ts";
import type { LateCorrections } from "./hour-report.ts";
import type { MeteringJob } from "./metering-job.ts";
import { merge, type TenantMonth } from "./tenant-month.ts";

export type MeteringDependencies = {
  activeCallers: Pick<ActiveCallerStore, "of">;
  reclaim: Pick<Reclaim, "spending">;
  allowances: Pick<AllowanceStore, "takeBack">;
  closing: Pick<Closing, "close" | "rollUpAgain">;
  progress: MeteringProgressStore;
  lateCorrections: Pick<LateCorrections, "of">;
  caps: WorkspaceCapStore;
  unexplained: Pick<UnexplainedStore, "ownerOf" | "mark">;
  /** What an owner may use before the first payment, in nano-USD; undefined where nobody is billed, or the model host's log explains. */
  unexplainedCap?: NanoUsd | undefined;
  /** Undefined in a stack that sends no mail. */
  notices?: Pick<DueNotices, "ofCallers" | "ofCap" | "send"> | undefined;
  log: Log;
  clock: () => number;
};

/** Thrown if the accounting of some tenants failed; that of all others is done. */
export class MeteringFailed extends Error {
  readonly failures: number;

  constructor({ month, shard }: MeteringJob, failures: number) {
    super(`${failures} of the tenants of shard ${shard} of ${month} failed`);
    this.failures = failures;
  }
}

/** How many tenants, and how many callers of one page, are processed at a time. */
const concurrency = 4;

export class Meter {
  readonly #deps: MeteringDependencies;

  constructor(deps: MeteringDependencies) {
    this.#deps = deps;
  }

  /**
   * Runs a job. A repeat skips what is done.
   * @throws MeteringFailed after all tenants were tried
   */
  async run(job: MeteringJob): Promise<void> {
    const { month, shard } = job;
    const { progress, clock } = this.#deps;
    if (await progress.isDone(month, shard)) return;
    const counts = { tenants: 0, open: 0, failures: 0 };
    // A correction may concern any month, so only the jobs of the present month process corrections.
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
        await this.#markUnexplained(month, tenant).catch(failed("what nobody explains could not be compared"));
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

  /** Computes the rollups of corrected hours again. @returns how many failed */
  async #rollUpLate(shard: number): Promise<number> {
    let failures = 0;
    await pMap(
      this.#deps.lateCorrections.of(shard),
      async (adjustment) => {
        try {
          await this.#deps.closing.rollUpAgain(adjustment);
        } catch (problem) {
          failures += 1;
          const facts = { tenant_id: adjustment.tenant_id, request_id: adjustment.id };
          this.#deps.log.problem("a corrected hour could not be rolled up", facts, problem);
        }
      },
      { concurrency },
    );
    return failures;
  }

  /** Yields each tenant once all of its callers were read: the index lists a tenant's callers one after the other. */
  async *#tenants({ month, shard }: MeteringJob): AsyncGenerator<TenantMonth> {
    let current: TenantMonth | undefined;
    for await (const page of this.#deps.activeCallers.of(month, shard)) {
      const [callers, due] = await Promise.all([
        pMap(page, (caller) => this.#caller(caller), { concurrency }),
        this.#due(month, page),
      ]);
      const ofTenant = Map.groupBy(due, ({ subject }) => subject.tenant_id);
      for (const one of callers) {
        const next = { ...one, due: ofTenant.get(one.tenantId) ?? [] };
        ofTenant.delete(one.tenantId);
        if (current && current.tenantId !== next.tenantId) yield current;
        current = current?.tenantId === next.tenantId ? merge(current, next) : next;
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
      this.#deps.log.problem("a caller's reservations could not be read", facts, problem);
      return {
        tenantId,
        since: Number.POSITIVE_INFINITY,
        until: Number.POSITIVE_INFINITY,
        spent: 0,
        hoursInFlight: new Set(),
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
      await this.#deps.allowances.takeBack(key, spending);
    } catch (problem) {
      return failed(problem);
    }
    // Reservations that were just reclaimed count as in flight: the next job sees whether they are gone.
    const hoursInFlight = new Set(spending.reservations.map(({ admittedAt }) => hourOf(admittedAt)));
    // Each admission sets `tat` to a time after its own (rate-limit.ts), so no call was admitted later than `tat`.
    const { spent, tat } = spending;
    return { tenantId, since: firstAdmittedAt, until: tat / 1000, spent, hoursInFlight, due: [], problem: undefined };
  }

  /** Marks or unmarks the tenant whose cap is reached. Only the present month counts. */
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

  /** Marks or unmarks the tenant whose owner has more booked at bounds than a share of what was paid. Only the present month counts. */
  async #markUnexplained(month: string, { tenantId }: TenantMonth): Promise<void> {
    const { unexplained, unexplainedCap, clock } = this.#deps;
    if (unexplainedCap === undefined || month !== monthOf(clock())) return;
    const owner = await unexplained.ownerOf(tenantId);
    if (!owner) return;
    const mark = unexplainedMarkOf(owner, month, unexplainedCap);
    if (mark !== owner.unexplained_month) await unexplained.mark(tenantId, mark);
  }

  /** The notices due for a page of callers. A failure is logged only: metering goes on, and the next run finds the notices again. */
  async #due(month: string, page: readonly ActiveCaller[]): Promise<DueNotice[]> {
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
      await notices.send([...ofCap, ...due].slice(0, maxNotices));
    } catch (problem) {
      log.problem("a tenant's notices could not be sent", { tenant_id: tenantId, month }, problem);
    }
  }

  /**
   * Closes the tenant's hours that can be closed, and records the progress.
   * @returns whether the month is done
   * @throws the error of the first hour that failed; the hours after it are left to a repeat
   */
  async #tenant(month: string, tenant: TenantMonth): Promise<boolean> {
    const { tenantId, hoursInFlight } = tenant;
    // A caller that could not be read may have calls in flight in any hour.
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
    return isComplete(after, month) && hoursInFlight.size === 0;
  }

  /** @returns whether the hour is closed */
  async #close({ tenantId, hoursInFlight, until }: TenantMonth, hour: string): Promise<boolean> {
    if (hoursInFlight.has(hour)) return false;
    return startOfHour(hour) > until || this.#deps.closing.close(tenantId, hour);
  }
}

function hasMoved(before: TenantProgress, after: TenantProgress): boolean {
  return before.next !== after.next || before.waiting.join() !== after.waiting.join();
}
