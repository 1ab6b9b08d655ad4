// The terms for new owners, as environment variables of the functions that read what was paid.
import type { StackConfig } from "../config.ts";

type TrustKeys = Pick<StackConfig, "trialCap" | "stripe" | "firstWeekTimes" | "firstMonthTimes">;

/** In nano-USD at list price. */
export function trustTerms({ firstWeekTimes, firstMonthTimes, ...config }: TrustKeys) {
  const cap = trialCapAtListPrice(config);
  const timesCap = (times: number) => String(Math.round(times * Number(cap)));
  return { TRIAL_CAP: cap, FIRST_WEEK_CAP: timesCap(firstWeekTimes), FIRST_MONTH_CAP: timesCap(firstMonthTimes) };
}

/** The trial's cap as budgets count: in nano-USD at list price. */
export function trialCapAtListPrice({ trialCap, stripe }: Pick<StackConfig, "trialCap" | "stripe">): string {
  return String(Math.round((trialCap * 1e9) / (stripe?.markup ?? 1)));
}
