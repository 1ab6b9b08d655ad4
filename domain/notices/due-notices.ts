// Due notices: the meter finds which thresholds of limits are reached, since it reads what callers spent. Another function, which
// alone may read addresses, mails them (notice-sender.ts).
import type { ActiveCaller, SpendingKey } from "../budget/spending.ts";
import type { Queue } from "../kernel/queue.ts";
import { type DueNotice, dueRecord, type NoticeStore, type NoticeSubject } from "./notice.ts";
import { reachedThreshold, type Use } from "./threshold.ts";

export interface LimitReader {
  /** The present limits of the callers and of their tenants. A limit that could not be read is missing. */
  of(callers: readonly SpendingKey[]): Promise<Limits>;
}

type Limits = {
  /** The caller's monthly budget in nano-USD; undefined without one. */
  budget(caller: SpendingKey): number | undefined;
  /** The use of the tenant's free credit, in tokens. */
  credit(tenantId: string): Use | undefined;
};

export type DueNoticesDependencies = {
  limits: LimitReader;
  records: Pick<NoticeStore, "many" | "put">;
  queue: Pick<Queue<NoticeSubject>, "sendAll">;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

type Candidate = { subject: NoticeSubject; use: Use };

/** How many notices of a tenant one run sends. The next run sends the others. */
export const maxNotices = 10;

export class DueNotices {
  readonly #deps: DueNoticesDependencies;

  constructor(deps: DueNoticesDependencies) {
    this.#deps = deps;
  }

  /** The notices due for the budgets of a page of callers, and for the free credit of their tenants. */
  async ofCallers(page: readonly ActiveCaller[]): Promise<DueNotice[]> {
    const callers = page.flatMap((caller) => ("problem" in caller ? [] : [caller]));
    if (callers.length === 0) return [];
    const limits = await this.#deps.limits.of(callers.map(({ key }) => key));
    const budgets = callers.map(({ key, spending }): Candidate => {
      const { tenantId, callerId, month } = key;
      const use = { used: spending.spent, limit: limits.budget(key) ?? 0 };
      return { subject: { kind: "budget", tenant_id: tenantId, month, caller_id: callerId }, use };
    });
    const tenantIds = [...new Set(callers.map(({ key }) => key.tenantId))];
    const credits = tenantIds.map((tenantId): Candidate => {
      const use = limits.credit(tenantId) ?? { used: 0, limit: 0 };
      return { subject: { kind: "credit", tenant_id: tenantId }, use };
    });
    return this.#due([...budgets, ...credits]);
  }

  ofCap(tenantId: string, month: string, use: Use): Promise<DueNotice[]> {
    return this.#due([{ subject: { kind: "cap", tenant_id: tenantId, month }, use }]);
  }

  /** Records that the notices are due, then queues them. A notice whose message is lost is found again an hour later. */
  async send(due: readonly DueNotice[]): Promise<void> {
    const claimed: NoticeSubject[] = [];
    for (const { subject, record } of due) if (await this.#deps.records.put(subject, record)) claimed.push(subject);
    if (claimed.length > 0) await this.#deps.queue.sendAll(claimed);
  }

  /** Reads the records only of limits with a threshold that is reached. */
  async #due(all: readonly Candidate[]): Promise<DueNotice[]> {
    const candidates = all.filter(({ use }) => reachedThreshold(use) !== undefined);
    if (candidates.length === 0) return [];
    const last = await this.#deps.records.many(candidates.map(({ subject }) => subject));
    return candidates.flatMap(({ subject, use }) => {
      const record = dueRecord(use, last(subject), this.#deps.clock());
      return record ? [{ subject, record }] : [];
    });
  }
}
