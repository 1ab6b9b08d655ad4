// The judge of a simulation: says which limits must hold, whatever the traffic.
import { freeCreditTokens } from "../../domain/workspace/tenant.ts";
import type { BudgetResult, CreditResult, RateResult, Results, TeamResult } from "./parts.ts";
import { most, perThousand, sum } from "./totals.ts";

/** Of 1,000 calls, fewer than this are refused with more than a tenth of the budget left. */
const mostRefused = 1;
/** The most by which a budget is exceeded, in requests. */
const mostOvershoot = 1;
/** The most by which the rate limit is exceeded, in calls: clocks are read before the write takes effect. */
const mostBeyondRate = 1;

/** With so many calls in flight a team gets all that it asks for while less than a tenth of its allowance is used. */
const servedInFlight = 12;

/** The problems of the results; none if all is well. */
export function problemsOf({ budgets, credits, rates, teams }: Results): string[] {
  const own = budgets.filter(({ rule }) => rule === "new");
  return [
    ...own.flatMap(budgetProblems),
    ...credits.flatMap(creditProblems),
    ...rates.flatMap(rateProblems),
    ...teams.flatMap(teamProblems),
  ];
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

export function teamProblems({ shape, rule, runs }: TeamResult): string[] {
  const { callers, inFlight, maxTokens } = shape;
  const name = `a team of ${callers}, ${inFlight} in flight, ${maxTokens}`;
  const broken = sum(runs, (run) => run.broken);
  const early = sum(runs, ({ early: { refused, shortened } }) => refused + shortened);
  return [
    ...(sum(runs, (run) => run.admitted) === 0 ? [`${name}: nothing was played`] : []),
    ...(broken > 0 ? [`${name}: ${broken} writes after which the allowance does not hold`] : []),
    ...(rule === "new" && inFlight <= servedInFlight && early > 0
      ? [`${name}: ${early} refused or shortened with less than a tenth used`]
      : []),
  ];
}
