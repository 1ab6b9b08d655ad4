// A workspace's month in money: its calls at list price and at the platform's price; and, of what has to be paid, what the payment
// provider has been told and what it has not (late hours of the month before included).
import { type NanoUsd, nanoUsdPerUsd } from "../kernel/money.ts";
import { monthOf, nextMonth, startOfMonth } from "../kernel/period.ts";
import { together } from "../kernel/together.ts";
import { UsageReader, type UsageReaderDependencies } from "../ledger/usage-reader.ts";
import type { BillingReader } from "./billing-reader.ts";
import { told, used } from "./billing-total.ts";

export type MonthStatementDependencies = UsageReaderDependencies & {
  billing: Pick<BillingReader, "total">;
  settings: {
    /** Factor from the list price to the platform's price; undefined where nobody pays. */
    markup: number | undefined;
  };
};

export type MonthStatement = {
  /** `2026-11` */
  month: string;
  markup: number;
  /** What is to be billed of all calls of the month, including those that free credit paid. */
  listPrice: NanoUsd;
  /** The same at the platform's prices. */
  price: NanoUsd;
  /** At the platform's prices: what the payment provider was last told that the month comes to. */
  reported: NanoUsd;
  /** At the platform's prices, without what free credit paid: not reported yet. Below zero if too much was reported. */
  unreported: NanoUsd;
  /** False if open hours hold more calls than one answer reads. The figures are too low then. */
  isComplete: boolean;
};

/** @param now in milliseconds */
export async function monthStatement(
  deps: MonthStatementDependencies,
  tenantId: string,
  now: number,
): Promise<MonthStatement> {
  const { billing, settings } = deps;
  const reader = new UsageReader(deps);
  const markup = settings.markup ?? 1;
  const priced = (cost: NanoUsd): NanoUsd => Math.round(cost * markup);
  const month = monthOf(now);
  const start = startOfMonth(month);
  const previous = monthOf(start - 1);
  // The last hours of a month are reported in the next month, so the previous month may have unreported hours too.
  const [calls, open, total] = await together([
    reader.read({ tenantId, range: { from: start, to: nextMonth(start) }, by: ["month"], limit: 1 }),
    reader.billableSoFar(tenantId, { from: startOfMonth(previous), to: nextMonth(start) }),
    billing.total(tenantId),
  ]);
  const listPrice = calls.rows[0]?.billable_cost ?? 0;
  return {
    month,
    markup,
    listPrice,
    price: priced(listPrice),
    reported: (total?.sent[month] ?? 0) * nanoUsdPerMicroUsd,
    unreported: priced(open.cost) + (total ? used(total, markup) - told(total) : 0) * nanoUsdPerMicroUsd,
    isComplete: calls.isComplete && open.isComplete,
  };
}

const nanoUsdPerMicroUsd = nanoUsdPerUsd / 1_000_000;
