// What the meter works with, in memory and told plainly: ledger, reports, adjustments, totals, rollups, progress.

import type { AllowanceStore } from "../../../domain/budget/allowance.ts";
import type { LedgerTransactions } from "../../../domain/budget/ledger-row.ts";
import type { UnexplainedStore } from "../../../domain/budget/unexplained.ts";
import type { WorkspaceCap, WorkspaceCapStore } from "../../../domain/budget/workspace-cap.ts";
import { hourOf } from "../../../domain/kernel/period.ts";
import type { LedgerRow, LedgerStore } from "../../../domain/ledger/ledger.ts";
import type { MeteringProgressStore, TenantProgress } from "../../../domain/ledger/metering-progress.ts";
import type { Rollup, RollupStore } from "../../../domain/ledger/rollup.ts";
import type { CreditReader } from "../../../domain/metering/credit-draw.ts";
import type {
  Adjustment,
  FrozenHourReport,
  HourReportStore,
  LateCorrections,
} from "../../../domain/metering/hour-report.ts";

type Effect = <T>(name: string, act: () => T) => Promise<T>;

export function aRow(request_id: string, changes: Partial<LedgerRow> = {}): LedgerRow {
  return {
    tenant_id: "t1",
    caller_id: "dev",
    request_id,
    admitted_at: "2026-11-21T05:10:00.000Z",
    settled_at: "2026-11-21T05:10:07.000Z",
    model: "claude-sonnet-5",
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    usage: { input: 10, output: 20, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 },
    cost: 100,
    source: "final",
    version: 0,
    ...changes,
  };
}

export class MemoryMetering {
  readonly rows = new Map<string, LedgerRow>();
  /** By tenant and hour; a report that is only begun has no value. */
  readonly reportsOf = new Map<string, { value?: number; tokens?: number }>();
  /** By tenant. */
  readonly totalOf = new Map<string, number>();
  readonly adjustments = new Map<string, Adjustment>();
  readonly rollupsOf = new Map<string, { rollups: Rollup[]; readAt: number }>();
  /** By tenant: tokens of its free credit. */
  readonly creditOf = new Map<string, { granted: number; spent: number; committed: number }>();
  readonly progressOf = new Map<string, TenantProgress>();
  /** By tenant. */
  readonly capOf = new Map<string, WorkspaceCap>();
  readonly doneShards = new Set<string>();
  /** The stores' calls in their order. */
  readonly calls: string[] = [];
  pageSize = 2;
  /** Carries out each call; a test may delay it, or break it before or after. */
  effect: Effect = async (_name, act) => act();

  put(...rows: LedgerRow[]): void {
    for (const row of rows) this.rows.set(row.request_id, row);
  }

  readonly ledger: Pick<LedgerStore, "hour"> = {
    hour: (tenantId, hour) => this.#pages(tenantId, hour),
  };

  async *#pages(tenantId: string, hour: string): AsyncGenerator<LedgerRow[]> {
    let after = "";
    for (;;) {
      const page = await this.#do("hour", () =>
        [...this.rows.values()]
          .filter((row) => row.tenant_id === tenantId && hourOf(Date.parse(row.admitted_at)) === hour)
          .filter(({ request_id }) => request_id > after)
          .toSorted((one, other) => (one.request_id < other.request_id ? -1 : 1))
          .slice(0, this.pageSize),
      );
      if (page.length === 0) return;
      after = page.at(-1)?.request_id ?? "";
      yield page;
    }
  }

  readonly rollups: Pick<RollupStore, "put"> = {
    put: (rollups, readAt) =>
      this.#do("rollups", () => {
        const [{ tenant_id = "", hour = "" } = {}] = rollups;
        const before = this.rollupsOf.get(`${tenant_id} ${hour}`);
        if (rollups.length > 0 && (before?.readAt ?? 0) <= readAt) {
          this.rollupsOf.set(`${tenant_id} ${hour}`, { rollups, readAt });
        }
      }),
  };

  readonly credits: CreditReader = {
    get: (tenantId) =>
      this.#do("credit", () => {
        const credit = this.creditOf.get(tenantId) ?? { granted: 0, spent: 0, committed: 0 };
        return { ...credit, reservations: [] };
      }),
  };

  readonly reports: HourReportStore = {
    open: (tenantId, hour) =>
      this.#do("open", () => {
        const name = `${tenantId} ${hour}`;
        if (!this.reportsOf.has(name)) this.reportsOf.set(name, {});
      }),
    freeze: (report) => this.#do("freeze", () => this.#freeze(report)),
    tokensDrawn: (tenantId, hour) =>
      this.#do("tokensDrawn", () => this.reportsOf.get(`${tenantId} ${hour}`)?.tokens ?? 0),
  };

  #freeze({ tenantId, hour, value, paidByCredit }: FrozenHourReport): "frozen" | "known" | "outrun" {
    const name = `${tenantId} ${hour}`;
    if (this.reportsOf.get(name)?.value !== undefined) return "known";
    const credit = this.creditOf.get(tenantId);
    if (paidByCredit) {
      const { tokens, granted } = paidByCredit;
      if (!credit || Math.max(credit.spent, credit.committed) > granted - tokens) return "outrun";
      this.creditOf.set(tenantId, {
        granted,
        spent: credit.spent + tokens,
        committed: credit.committed + tokens,
      });
    }
    this.reportsOf.set(name, { value, tokens: paidByCredit?.tokens ?? 0 });
    this.#add(tenantId, value);
    return "frozen";
  }

  #add(tenantId: string, value: number): void {
    this.totalOf.set(tenantId, (this.totalOf.get(tenantId) ?? 0) + value);
  }

  readonly lateCorrections: LateCorrections = {
    of: () => this.#listed(),
    get: ({ id }) => this.#do("adjustment", () => this.adjustments.get(id)),
    add: ({ tenant_id, id, difference }) =>
      this.#do("add", () => {
        if (this.adjustments.delete(id)) this.#add(tenant_id, difference);
      }),
  };

  async *#listed(): AsyncGenerator<Pick<Adjustment, "tenant_id" | "id">> {
    const listed = await this.#do("late", () => [...this.adjustments.values()]);
    for (const { tenant_id, id } of listed) yield { tenant_id, id };
  }

  /** As the ledger's transactions do it. */
  readonly correct = (standing: LedgerRow, truth: LedgerRow): Promise<boolean> =>
    this.#do("correct", () => {
      const { request_id, tenant_id, cost } = standing;
      const row = this.rows.get(request_id);
      if (!row?.provisional || row.cost !== cost) return false;
      const { provisional: _provisional, ...final } = { ...row, ...truth };
      const hour = hourOf(Date.parse(standing.admitted_at));
      const isReported = this.reportsOf.has(`${tenant_id} ${hour}`);
      this.rows.set(request_id, isReported ? { ...final, billed: cost } : final);
      if (isReported) {
        const difference = truth.cost - cost;
        this.adjustments.set(request_id, { tenant_id, id: request_id, hour, difference });
      }
      return true;
    }) satisfies Promise<Awaited<ReturnType<LedgerTransactions["correct"]>>>;

  readonly progress: MeteringProgressStore = {
    of: (tenantId, month) => this.#do("progress", () => this.progressOf.get(`${tenantId} ${month}`)),
    advance: (tenantId, month, to) =>
      this.#do("advance", () => {
        const name = `${tenantId} ${month}`;
        if ((this.progressOf.get(name)?.version ?? 0) === to.version - 1) this.progressOf.set(name, to);
      }),
    isDone: (month, shard) => this.#do("isDone", () => this.doneShards.has(`${month} ${shard}`)),
    done: (month, shard) => this.#do("done", () => void this.doneShards.add(`${month} ${shard}`)),
  };

  /** Beside the accounting, so not among its calls. */
  readonly log = { info: () => {}, problem: () => {} };

  /** Nobody's calls are limited. */
  readonly allowances: AllowanceStore = {
    read: async () => ({ drawn: 0, paid: 0, settled: 0 }),
    ownerOf: async () => undefined,
    takeBack: async () => {},
  };

  /** No workspace has an owner. */
  readonly unexplained: UnexplainedStore = {
    ownerOf: async () => undefined,
    counted: async () => 0,
    count: async () => true,
    mark: async () => {},
  };

  readonly caps: WorkspaceCapStore = {
    of: async (tenantId) => this.capOf.get(tenantId),
    mark: async (tenantId, { to }) => void this.capOf.set(tenantId, { ...this.capOf.get(tenantId), capped_month: to }),
  };

  #do<T>(name: string, act: () => T): Promise<T> {
    this.calls.push(name);
    return this.effect(name, act);
  }
}
