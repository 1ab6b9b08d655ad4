import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ActiveCaller } from "../../../domain/budget/spending.ts";
import { nothingSpent } from "../../../domain/budget/spending.ts";
import { DueNotices } from "../../../domain/notices/due-notices.ts";
import type { NoticeSubject } from "../../../domain/notices/notice.ts";
import type { Use } from "../../../domain/notices/threshold.ts";
import { MemoryNotices } from "../../support/accounting/memory-notices.ts";

const month = "2026-11";
const now = Date.parse("2026-11-21T05:00:00Z");

let records: MemoryNotices;
let queued: NoticeSubject[];
let budgets: Record<string, number>;
let credits: Record<string, Use>;
let reads: string[];
let notices: DueNotices;
beforeEach(() => {
  records = new MemoryNotices();
  [queued, budgets, credits, reads] = [[], {}, {}, []];
  notices = new DueNotices({
    limits: {
      async of() {
        reads.push("limits");
        return { budget: ({ callerId }) => budgets[callerId], credit: (tenantId) => credits[tenantId] };
      },
    },
    records: {
      many: () => {
        reads.push("records");
        return records.many();
      },
      put: (subject, record) => records.put(subject, record),
    },
    queue: { sendAll: async (subjects) => void queued.push(...subjects) },
    clock: () => now,
  });
});

function aCaller(tenantId: string, callerId: string, spent: number): ActiveCaller {
  const key = { tenantId, callerId, month };
  return { key, firstAdmittedAt: now, spending: { ...nothingSpent, spent } };
}

const broken = (callerId: string): ActiveCaller => ({
  key: { tenantId: "t1", callerId, month },
  problem: new Error("broken"),
});

describe("of a page of callers", () => {
  test("notices are due for callers whose budgets reach a threshold, and for their tenants' free credit", async () => {
    budgets = { ann: 100, bob: 100 };
    credits = { t1: { used: 8_000, limit: 10_000 }, t2: { used: 10, limit: 10_000 } };
    const due = await notices.ofCallers([
      aCaller("t1", "ann", 55),
      aCaller("t1", "bob", 49),
      aCaller("t2", "unlimited", 1_000),
      broken("x"),
    ]);
    expect(due.map(({ subject, record }) => [subject, record.threshold])).toEqual([
      [{ kind: "budget", tenant_id: "t1", month, caller_id: "ann" }, 50],
      [{ kind: "credit", tenant_id: "t1" }, 80],
    ]);
    expect(reads).toEqual(["limits", "records"]);
  });

  test("only limits are read if no threshold is reached, and nothing if there are no callers", async () => {
    budgets = { ann: 100 };
    expect(await notices.ofCallers([aCaller("t1", "ann", 49)])).toEqual([]);
    expect(reads).toEqual(["limits"]);
    expect(await notices.ofCallers([broken("ann")])).toEqual([]);
    expect(reads).toEqual(["limits"]);
  });
});

describe("what is due", () => {
  const cap = (used: number) => notices.ofCap("t1", month, { used, limit: 100 });

  test("a due notice is recorded and queued once", async () => {
    await notices.send(await cap(50));
    await notices.send(await cap(60));
    expect(queued).toEqual([{ kind: "cap", tenant_id: "t1", month }]);
    await notices.send(await cap(100));
    expect(queued).toHaveLength(2);
  });

  test("a due notice is queued by one of two runs at the same time", async () => {
    const [one, other] = [await cap(50), await cap(50)];
    await Promise.all([notices.send(one), notices.send(other)]);
    expect(queued).toHaveLength(1);
  });
});
