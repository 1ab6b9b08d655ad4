// A workspace's month in money: its calls at list price, what free credit paid of them, and the rest at the platform's prices; and, of
// all that has to be paid, what the payment provider has been told and what it has not.
import type { NanoUsd } from "../kernel/money.ts";
import { nanoUsdPerUsd } from "../kernel/money.ts";
import { monthOf, nextMonth, startOfMonth } from "../kernel/period.ts";
import { together } from "../kernel/together.ts";
import { UsageReader, type UsageReaderDependencies } from "../ledger/usage-reader.ts";
import { CreditDraw } from "../metering/credit-draw.ts";
import type { BillingReader } from "./billing-reader.ts";
import { told, used } from "./billing-total.ts";
import { billedNano } from "./quantity.ts";

export type MonthStatementDependencies = UsageReaderDependencies & {
  billing: BillingReader;
  settings: {
    /** Factor from the list price to the platform's price; undefined where nobody pays. */
    markup: number | undefined;
  };
};

export type MonthStatement = {
  /** `2026-11` */
  month: string;
  markup: number;
  /** At list price: of calls whose usage the model host told. With `estimated` it is the month's list price. */
  settled: NanoUsd;
  /** At list price: what is known of calls whose usage the model host never told. */
  estimated: NanoUsd;
  /** At list price: the part of `settled` and `estimated` that free credit paid, or will pay when an open hour is closed. */
  credit: NanoUsd;
  /** At list price: the part of `settled` and `estimated` that was called while the platform did not bill. */
  unbilled: NanoUsd;
  /** The remaining amount at the platform's prices. Invoices have the same, apart from corrections that came after the month's invoice. */
  billed: NanoUsd;
  /** At the platform's prices: what the payment provider was last told that the month comes to. */
  reported: NanoUsd;
  /** At the platform's prices, of all months: not reported yet. Below zero if too much was reported. */
  unreported: NanoUsd;
  /** False if open hours hold more calls than one answer reads. The figures are too low then. */
  isComplete: boolean;
};

/**
 * @param month of the figures, `2026-11`
 * @param now in milliseconds
 */
export async function monthStatement(
  deps: MonthStatementDependencies,
  tenantId: string,
  month: string,
  now: number,
): Promise<MonthStatement> {
  const { billing, settings } = deps;
  const reader = new UsageReader(deps);
  const present = monthOf(now);
  const [total, credit] = await together([billing.total(tenantId), billing.credit(tenantId)]);
  const markup = total?.markups[month] ?? settings.markup ?? 1;
  const [ofCalls, ofOpen] = [new CreditDraw(credit), new CreditDraw(credit)];
  // The last hours of a month are closed in the next month, and free credit pays for them first.
  const since = (of: string) => startOfMonth(monthOf(startOfMonth(of) - 1));
  const [calls, open] = await together([
    reader.read({
      ...{ tenantId, by: ["month"], limit: 2, credits: () => (row) => ofCalls.add(row).credit },
      range: { from: since(month), to: nextMonth(startOfMonth(month)) },
    }),
    reader.dueSoFar(
      tenantId,
      { from: since(present), to: nextMonth(startOfMonth(present)) },
      (row) => ofOpen.add(row).due,
    ),
  ]);
  const figures = calls.rows.find((row) => row.month === month);
  const settled = (figures?.cost ?? 0) - (figures?.estimated_cost ?? 0);
  const unbilled = figures?.unbilled_cost ?? 0;
  const ofTotal = total ? used(total, settings.markup ?? 1) - told(total) : 0;
  return {
    month,
    markup,
    settled,
    estimated: (figures?.billable_cost ?? 0) + unbilled - settled,
    unbilled,
    credit: figures?.credit ?? 0,
    billed: billedNano([{ cost: figures?.due[month] ?? 0, markup }]),
    reported: (total?.sent[month] ?? 0) * nanoUsdPerMicroUsd,
    unreported:
      billedNano([{ cost: open.cost, markup: total?.markups[present] ?? settings.markup ?? 1 }]) +
      ofTotal * nanoUsdPerMicroUsd,
    isComplete: calls.isComplete && open.isComplete,
  };
}

const nanoUsdPerMicroUsd = nanoUsdPerUsd / 1_000_000;
