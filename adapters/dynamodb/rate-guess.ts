// The rate limit in an admission's expression. DynamoDB's conditions know no arithmetic, so a write has one of three forms by
// what the bucket is thought to be, and this says which one to try first.
import {
  hasRoom,
  impossibleFrom,
  interval,
  microsOf,
  type RateLimit,
  tolerance,
} from "../../domain/spending/rate-limit.ts";
import type { Written } from "../../domain/spending/spending.ts";

/**
 * `idle`: the bucket is full (`tat` in the past). `busy`: it is in use. `impossible`: in debt to other limits than these, and
 * is cut to what these can make.
 */
export type RateForm = "idle" | "busy" | "impossible";

export type RateGuess = {
  form: RateForm;
  /** `idle` also passes a bucket in use by no more than this, and takes all of it: where the two forms overlap. */
  slackMicros: number;
  nowMicros: number;
};

/** Others can turn each guess wrong; after these many the state is returned as it is. */
const maxGuesses = 5;

export function rateExpression(rate: RateLimit, { form, slackMicros, nowMicros }: RateGuess) {
  const step = interval(rate);
  switch (form) {
    case "idle":
      return {
        set: "tat = :next",
        condition: "(attribute_not_exists(tat) OR tat <= :now)",
        values: { ":now": nowMicros + slackMicros, ":next": nowMicros + slackMicros + step },
      };
    case "busy":
      return {
        set: "tat = tat + :step",
        condition: "tat > :now AND tat <= :now_plus_burst",
        values: { ":now": nowMicros, ":now_plus_burst": nowMicros + tolerance(rate), ":step": step },
      };
    case "impossible":
      return {
        set: "tat = :next",
        condition: "tat > :now",
        values: { ":now": impossibleFrom(rate, nowMicros), ":next": nowMicros + tolerance(rate) + step },
      };
  }
}

/** Tries a write by one guess after the other, for as long as only the guess was wrong. */
export async function guessed(
  {
    rate,
    nowMicros: began,
    lastTat,
    clock,
  }: { rate: RateLimit; nowMicros: number; lastTat: number; clock: () => number },
  write: (guess: RateGuess) => Promise<Written>,
): Promise<Written> {
  let tat = lastTat;
  for (let guesses = 1, nowMicros = began; ; guesses++, nowMicros = microsOf(clock())) {
    // With a refill faster than the store, others can turn each guess wrong; the longer it takes, the wider the overlap.
    const slackMicros = Math.min(tolerance(rate), Math.max(0, guesses - 1) * (nowMicros - began));
    const guess = { form: formOf(rate, tat, nowMicros), slackMicros, nowMicros };
    const result = await write(guess);
    tat = result.spending.tat;
    const wasWrong = formOf(rate, tat, nowMicros) !== guess.form && !isInOverlap(guess, tat);
    if (result.written || guesses === maxGuesses || !hasRoom(rate, tat, microsOf(clock())) || !wasWrong) return result;
  }
}

function formOf(rate: RateLimit, tat: number, nowMicros: number): RateForm {
  if (tat <= nowMicros) return "idle";
  return tat > impossibleFrom(rate, nowMicros) ? "impossible" : "busy";
}

function isInOverlap({ form, slackMicros, nowMicros }: RateGuess, tat: number): boolean {
  return form === "idle" && tat <= nowMicros + slackMicros;
}
