// The judge of a simulation: says which limits must hold, whatever the traffic.
import { freeCreditTokens } from "../../domain/workspace/tenant.ts";
import type { BudgetResult, CreditResult, RateResult, Results } from "./parts.ts";
import { most, perThousand, sum } from "./totals.ts";

/** Of 1,000 calls, fewer than this are refused with more than a tenth of the budget left. */
const mostRefused = 1;
/** The most by which a budget is exceeded, in requests. */
const mostOvershoot = 1;
/** The most by which the rate limit is exceeded, in calls: clocks are read before the write takes effect. */
const mostBeyondRate = 1;

/** The problems of the results; none if all is well. */
export function problemsOf({ budgets, credits, rates }: Results): string[] {
  const own = budgets.filter(({ rule }) => rule === "new");
  return [...own.flatMap(budgetProblems), ...credits.flatMap(creditProblems), ...rates.flatMap(rateProblems)];
}

export function budgetProblems({ name, isJudged, runs }: Omit<BudgetResult, "rule">): string[] {
  const calls = sum(runs, (run) => run.calls);
  const refused = perThousand(
    sum(runs, (run) => run.refusedWithMoneyLeft),
    calls,
  );
  const overshoot = most(runs, (run) => run.overshoot);
  return [
    ...(calls === 0 ? [`${name}: nothing was played`] : []),
    ...(isJudged && refused >= mostRefused ? [`${name}: ${refused.toFixed(2)} of 1,000 refused with money left`] : []),
    ...(overshoot > mostOvershoot ? [`${name}: ${overshoot.toFixed(2)} requests beyond the budget`] : []),
  ];
}

function creditProblems({ name, runs }: CreditResult): string[] {
  const taken = most(runs, (run) => run.takenTokens);
  const isBooked = runs.every((run) => run.takenTokens === run.bookedTokens);
  return [
    ...(taken > 2 * freeCreditTokens ? [`${name}: ${taken} tokens of the free credit`] : []),
    ...(isBooked ? [] : [`${name}: the credit's tokens are not those of the model host`]),
  ];
}

function rateProblems({ name, runs }: RateResult): string[] {
  const beyond = most(runs, (run) => run.beyond);
  return beyond > mostBeyondRate ? [`${name}: ${beyond.toFixed(0)} calls beyond the rate limit`] : [];
}
