import { expect, test } from "@jest/globals";
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
    billing: { reported: async () => 0, unreported: async () => 0, openBalance, ...more },
  } as MonthStatementDependencies;
}
const openBalance = async () => nothingOpen;
const nothingOpen = { difference: 0, balance: { carried: 0 } } as never;
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

test("closed hours that were not reported count with the open ones, for this month and the one before", async () => {
  const asked: unknown[] = [];
  const unreported = async (...question: unknown[]) => {
    asked.push(question);
    return usd;
  };
  const { unreported: amount } = await monthStatement(dependencies([row("a")], { unreported }, 2), "t1", now);
  expect(asked).toEqual([["t1", ["2026-10", "2026-11"]]]);
  expect(amount).toBe(2 * (2 + 1) * usd);
});

test("the open balance counts: adjustments at list price, and what is carried as it will be billed", async () => {
  const correction = { difference: -usd, balance: { carried: 250_000 } } as never;
  const deps = dependencies([row("a")], { openBalance: async () => correction, reported: async () => 700_000 }, 2);
  const { unreported, reported } = await monthStatement(deps, "t1", now);
  expect(unreported).toBe(2 * (2 - 1) * usd + usd / 4);
  expect(reported).toBe(0.7 * usd);
});

test("nothing is marked up where nobody pays", async () => {
  expect(await monthStatement(dependencies([row("a")]), "t1", now)).toMatchObject({ markup: 1, price: 2 * usd });
});
