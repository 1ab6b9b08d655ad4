import { expect, test } from "@jest/globals";
import { nothingUsed } from "../../../domain/ledger/rollup.ts";
import type { BillingTotal } from "../../../domain/reporting/billing-total.ts";
import { type MonthStatementDependencies, monthStatement } from "../../../domain/reporting/month-statement.ts";
import { aRow } from "../../support/accounting/memory-metering.ts";

const now = Date.parse("2026-11-21T05:30:00Z");
const hour = "2026-11-21T05";
const usd = 1_000_000_000;

/** Only the present hour is open, with these rows. */
function dependencies(
  rows: ReturnType<typeof aRow>[],
  more: Partial<MonthStatementDependencies["billing"]> = {},
  markup?: number,
): MonthStatementDependencies {
  return {
    clock: () => now,
    settings: { markup },
    rollups: { list: async function* () {} },
    ledger: {
      hour: async function* (_tenantId: string, asked: string) {
        if (asked === hour) yield rows;
      },
    },
    progress: {
      of: async (_tenantId, month) => ({ next: month === "2026-11" ? hour : "2026-11-01T00", waiting: [], version: 1 }),
    },
    firstCalls: { since: async () => undefined },
    billing: { total: async () => undefined, credit: async () => ({ granted: 0, spent: 0, committed: 0 }), ...more },
  } as MonthStatementDependencies;
}
const row = (id: string, more: object = {}) => aRow(id, { admitted_at: `${hour}:10:00.000Z`, cost: 2 * usd, ...more });

test("the calls of a month are priced with the markup, including those paid by free credit", async () => {
  const statement = await monthStatement(
    dependencies([row("a"), row("b", { on_credit: true })], {}, 1.5),
    "t1",
    "2026-11",
    now,
  );
  expect(statement).toEqual({
    month: "2026-11",
    markup: 1.5,
    settled: 4 * usd,
    estimated: 0,
    unbilled: 0,
    credit: 2 * usd,
    billed: 3 * usd,
    reported: 0,
    // Free credit paid for the other call.
    unreported: 3 * usd,
    isComplete: true,
  });
});

test("calls from before the platform billed are included in the list price, but not in the amounts to be paid", async () => {
  const before = row("b", { on_platform: true, source: "estimated", known: { cost: usd, tokens: 1 } });
  const rows = [row("a"), row("c", { on_platform: true }), before];
  expect(await monthStatement(dependencies(rows, {}, 2), "t1", "2026-11", now)).toMatchObject({
    ...{ settled: 4 * usd, estimated: usd, unbilled: 3 * usd, credit: 0, billed: 4 * usd, unreported: 4 * usd },
  });
});

test("a month's unreported amount is all usage in closed and open hours, less what is on invoices and what the provider was told", async () => {
  const total: Partial<BillingTotal> = {
    costs: { "2026-10": 3 * usd, "2026-11": 4 * usd },
    // The markup was another one in October.
    markups: { "2026-10": 1 },
    invoiced: { in_1: 2_900_000 },
    sent: { "2026-11": 7_000_000 },
  };
  const deps = dependencies([row("a")], { total: async () => total as BillingTotal }, 2);
  const { unreported, reported } = await monthStatement(deps, "t1", "2026-11", now);
  expect(reported).toBe(7 * usd);
  expect(unreported).toBe(2 * 2 * usd + (3 + 2 * 4 - 2.9 - 7) * usd);
});

test("a statement has no markup if the platform does not bill", async () => {
  expect(await monthStatement(dependencies([row("a")]), "t1", "2026-11", now)).toMatchObject({
    markup: 1,
    billed: 2 * usd,
  });
});

test("the settled, estimated and credit amounts of a statement add up, with the credit that open hours will draw", async () => {
  const known = { cost: usd, tokens: 10 };
  const estimated = row("c", { source: "estimated", provisional: true, cost: 50 * usd, known });
  // The first call has 30 tokens, of which the credit pays all, and of the second a half.
  const credit = async () => ({ granted: 145, spent: 100, committed: 100 });
  const deps = dependencies([row("a"), row("b"), estimated], { credit }, 1.25);
  const statement = await monthStatement(deps, "t1", "2026-11", now);
  expect(statement).toMatchObject({ settled: 4 * usd, estimated: usd, credit: 3 * usd, billed: 2.5 * usd });
  expect(statement.unreported).toBe(2.5 * usd);
});

test("a past month's statement has its own figures and its own markup", async () => {
  const total = { costs: { "2026-10": 8 }, markups: { "2026-10": 3 }, invoiced: {}, sent: { "2026-10": 24 } };
  const month = { hour: "2026-10-05T07", requests: 1, cost: 8 * usd, billable_cost: 8 * usd, credit: 2 * usd };
  const deps = dependencies([row("a")], { total: async () => total as unknown as BillingTotal }, 2);
  deps.rollups = {
    async *list() {
      yield [{ ...nothingUsed, tenant_id: "t1", caller_id: "dev", model: "m", ...month }];
    },
  };
  const { settled, credit, billed, markup, reported } = await monthStatement(deps, "t1", "2026-10", now);
  expect({ settled, credit, billed, markup }).toEqual({
    settled: 8 * usd,
    credit: 2 * usd,
    billed: 18 * usd,
    markup: 3,
  });
  expect(reported).toBe(24_000);
});
