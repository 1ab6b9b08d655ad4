// The rate limit in an admission's expression. DynamoDB's conditions know no arithmetic, so a write has one of four forms, by
// the state in which the bucket is thought to be.
import { hasOtherRate } from "../../../domain/budget/limit-refusal.ts";
import { impossibleFrom, interval, type RateLimit, rateName, tolerance } from "../../../domain/budget/rate-limit.ts";
import type { Spending } from "../../../domain/budget/spending.ts";

/**
 * `idle`: the bucket is full (`tat` is in the past). `busy`: it is in use. `impossible`: it is deeper in debt than this limit can
 * make it, and the debt is cut to that. `changed`: another limit counted it. For a minute after a change some functions know the
 * old limit and some the new one; if each cut the other's debt, nobody would be held back.
 */
export type RateForm = "idle" | "busy" | "impossible" | "changed";

export type RateGuess = {
  form: RateForm;
  /** The form `idle` also takes a bucket that is in use by no more than this, and takes all of it: the two forms overlap here. */
  slackMicros: number;
  nowMicros: number;
  /** The form `changed` keeps this debt, as far as this limit can make it. */
  lastTat?: number;
};

const sameRate = "(attribute_not_exists(tat_rate) OR tat_rate = :rate)";

/**
 * The form of a write in this state.
 * @param at.isFresh the limit was read past every cache
 * @param at.slackMicros how far an idle bucket's form may reach into one that is in use; never beyond the bucket
 */
export function rateForm(
  { tat, tatRate }: Pick<Spending, "tat" | "tatRate">,
  rate: RateLimit,
  at: { isFresh: boolean; nowMicros: number; slackMicros: number },
): RateGuess {
  const { nowMicros } = at;
  const slackMicros = Math.min(tolerance(rate), at.slackMicros);
  return { form: formOf(), slackMicros, nowMicros, lastTat: tat };

  function formOf(): RateForm {
    if (tat <= nowMicros) return "idle";
    if (at.isFresh && hasOtherRate({ rate }, { tatRate })) return "changed";
    return tat > impossibleFrom(rate, nowMicros) ? "impossible" : "busy";
  }
}

export function rateExpression(
  rate: RateLimit,
  { form, slackMicros, nowMicros, lastTat = Number.POSITIVE_INFINITY }: RateGuess,
) {
  const step = interval(rate);
  const name = { ":rate": rateName(rate) };
  switch (form) {
    case "idle":
      return {
        set: "tat = :next, tat_rate = :rate",
        condition: "(attribute_not_exists(tat) OR tat <= :now)",
        values: { ...name, ":now": nowMicros + slackMicros, ":next": nowMicros + slackMicros + step },
      };
    case "busy":
      return {
        set: "tat = tat + :step",
        condition: `tat > :now AND tat <= :now_plus_burst AND ${sameRate}`,
        values: { ...name, ":now": nowMicros, ":now_plus_burst": nowMicros + tolerance(rate), ":step": step },
      };
    case "impossible":
      return {
        set: "tat = :next, tat_rate = :rate",
        condition: `tat > :now AND ${sameRate}`,
        values: { ...name, ":now": impossibleFrom(rate, nowMicros), ":next": nowMicros + tolerance(rate) + step },
      };
    case "changed":
      return {
        set: "tat = :next, tat_rate = :rate",
        condition: "tat > :now AND tat_rate <> :rate",
        values: { ...name, ":now": nowMicros, ":next": Math.min(lastTat, nowMicros + tolerance(rate)) + step },
      };
  }
}
