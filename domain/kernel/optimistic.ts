// Optimistic writes: read, decide, and write on the condition that nothing has changed since. A writer that was outrun starts again.
import { Refusal } from "./refusal.ts";

/** Rounds of one optimistic write. Only one layer repeats: a function that calls this is called once by its caller. */
export const maxAttempts = 5;

/**
 * Runs rounds until one returns a value. A round that returns undefined was outrun by another writer; the next round reads again.
 * @param attempt one round; it gets the number of the round, from 1
 * @param outrun called after a write was outrun in every round; it throws, or returns a value instead
 * @param rounds more than usual where many write the same at once, and each must come to its turn
 * @throws Refusal store_unavailable by default; whatever a round throws ends the rounds
 */
export async function optimistically<T>(
  attempt: (round: number) => Promise<T | undefined>,
  outrun: () => T = refuse,
  rounds = maxAttempts,
): Promise<T> {
  for (let round = 1; round <= rounds; round++) {
    const done = await attempt(round);
    if (done !== undefined) return done;
  }
  return outrun();
}

function refuse(): never {
  throw new Refusal("store_unavailable", "Others are changing this, try again");
}
