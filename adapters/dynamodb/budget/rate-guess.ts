// The rate limit in an admission's expression. DynamoDB's conditions know no arithmetic, so a write has one of four forms by
// what the bucket is thought to be, and this says which one to try first.
import { hasOtherRate } from "../../../domain/budget/limit-refusal.ts";
import {
  hasRoom,
  impossibleFrom,
  interval,
  microsOf,
  type RateLimit,
  rateName,
  tolerance,
} from "../../../domain/budget/rate-limit.ts";
import type { Spending, Written } from "../../../domain/budget/spending.ts";

/**
 * `idle`: the bucket is full (`tat` in the past). `busy`: it is in use. `impossible`: deeper in debt than these limits can
 * make it, and is cut to that. `changed`: it was counted by other limits than these. For a minute after a change some functions
 * know the old limits and some the new ones; were each to cut the other's debt, nobody would be held back.
 */
export type RateForm = "idle" | "busy" | "impossible" | "changed";

type Seen = Pick<Spending, "tat" | "tatRate">;

export type RateGuess = {
  form: RateForm;
  /** `idle` also passes a bucket in use by no more than this, and takes all of it: where the two forms overlap. */
  slackMicros: number;
  nowMicros: number;
  /** `changed` keeps this, as far as these limits can make it. */
  lastTat?: number;
};

const sameRate = "(attribute_not_exists(tat_rate) OR tat_rate = :rate)";

/** Others can turn each guess wrong; after these many the state is returned as it is. */
const maxGuesses = 5;

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

type Guessing = {
  rate: RateLimit;
  /** The limit was read past every cache. */
  isFresh?: boolean;
  nowMicros: number;
  lastTat: number;
  lastRate?: string | undefined;
  clock: () => number;
};

/** Tries a write by one guess after the other, for as long as only the guess was wrong. */
export async function guessed(
  { rate, isFresh = false, nowMicros: began, lastTat, lastRate, clock }: Guessing,
  write: (guess: RateGuess) => Promise<Written>,
): Promise<Written> {
  const formOf = (seen: Seen, nowMicros: number): RateForm => {
    if (seen.tat <= nowMicros) return "idle";
    if (isFresh && hasOtherRate({ rate }, seen)) return "changed";
    return seen.tat > impossibleFrom(rate, nowMicros) ? "impossible" : "busy";
  };
  let seen: Seen = { tat: lastTat, tatRate: lastRate };
  for (let guesses = 1, nowMicros = began; ; guesses++, nowMicros = microsOf(clock())) {
    // With a refill faster than the store, others can turn each guess wrong; the longer it takes, the wider the overlap.
    const slackMicros = Math.min(tolerance(rate), Math.max(0, guesses - 1) * (nowMicros - began));
    const guess = { form: formOf(seen, nowMicros), slackMicros, nowMicros, lastTat: seen.tat };
    const result = await write(guess);
    seen = result.spending;
    const wasWrong = formOf(seen, nowMicros) !== guess.form && !isInOverlap(guess, seen.tat);
    const hasTime = guesses < maxGuesses && hasRoomIn(seen, microsOf(clock()));
    if (result.written || !wasWrong || !hasTime) return result;
  }

  function hasRoomIn(seen: Seen, nowMicros: number): boolean {
    // By limits that are perhaps old no other's count is judged.
    if (hasOtherRate({ rate }, seen)) return isFresh || seen.tat <= nowMicros;
    return hasRoom(rate, seen.tat, nowMicros);
  }
}

function isInOverlap({ form, slackMicros, nowMicros }: RateGuess, tat: number): boolean {
  return form === "idle" && tat <= nowMicros + slackMicros;
}
