import { expect, test } from "@jest/globals";
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
    billing: { total: async () => undefined, ...more },
  } as MonthStatementDependencies;
}
const row = (id: string, more: object = {}) => aRow(id, { admitted_at: `${hour}:10:00.000Z`, cost: 2 * usd, ...more });

test("the month's calls are priced with the markup, those of free credit too", async () => {
  const statement = await monthStatement(dependencies([row("a"), row("b", { on_credit: true })], {}, 1.5), "t1", now);
  expect(statement).toEqual({
    month: "2026-11",
    markup: 1.5,
    listPrice: 4 * usd,
    price: 6 * usd,
    reported: 0,
    // Free credit paid for the other call.
    unreported: 3 * usd,
    isComplete: true,
  });
});

test("closed hours count with the open ones: of all that was used, less what invoices have and what the provider was told", async () => {
  const total: Partial<BillingTotal> = {
    costs: { "2026-10": 3 * usd, "2026-11": 4 * usd },
    // The markup was another one in October.
    markups: { "2026-10": 1 },
    invoiced: { in_1: 2_900_000 },
    sent: { "2026-11": 7_000_000 },
  };
  const deps = dependencies([row("a")], { total: async () => total as BillingTotal }, 2);
  const { unreported, reported } = await monthStatement(deps, "t1", now);
  expect(reported).toBe(7 * usd);
  expect(unreported).toBe(2 * 2 * usd + (3 + 2 * 4 - 2.9 - 7) * usd);
});

test("nothing is marked up where nobody pays", async () => {
  expect(await monthStatement(dependencies([row("a")]), "t1", now)).toMatchObject({ markup: 1, price: 2 * usd });
});
