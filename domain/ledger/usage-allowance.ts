// What a person may ask of usage: an answer over a hundred thousand rows takes seconds of a processor and of the table, so questions are
// paid for in time, by what was read.
import { mostAheadMs, type QuestionAllowances } from "../kernel/question-allowance.ts";
import { Refusal } from "../kernel/refusal.ts";

/** The time that is taken before the cost of an answer is known: six questions may run at once. */
const firstMs = 5_000;
/** The time that the cheapest answer costs: five answers a second in the long run. */
const leastMs = 200;
const rowsPerMs = 5;

/**
 * Answers a question of the person, and lets them pay for what it has read. A question that fails costs what was taken at first.
 * @throws Refusal rate_limited
 */
export async function withinAllowance<Answer extends { rowsRead: number }>(
  allowances: QuestionAllowances,
  sub: string,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  const purse = { sub, kind: "usage" } as const;
  if (!(await allowances.take(purse, firstMs, mostAheadMs))) {
    const message = "You ask for usage faster than it can be read: fewer hours, or fewer questions at once, cost less";
    throw new Refusal("rate_limited", message, { retryAfterSeconds: firstMs / 1000 });
  }
  const given = await answer();
  await allowances.correct(purse, Math.max(leastMs, Math.round(given.rowsRead / rowsPerMs)) - firstMs);
  return given;
}
