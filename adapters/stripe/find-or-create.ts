// Creates an object at Stripe at most once: looks for it by a list call, then creates it under an idempotency key that is the same for
// every attempt.
import { call, isReplay, isReplayedFailure } from "./client.ts";

/** How many keys are tried: a key is useless for a day if its stored answer is a 500, or an object that was deleted since. */
const maxKeys = 5;

/**
 * Gives what `find` finds, or what `create` creates. `find` uses lists, which show a new object immediately; Stripe's search lags, and
 * its keys are forgotten after a day.
 * @param key the same for every attempt to create this one object
 */
export async function findOrCreate<T extends object>(
  operation: string,
  key: string,
  find: () => Promise<T | undefined>,
  create: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await call(operation, find);
    if (found !== undefined) return found;
    try {
      const made = await create(`${key}-${attempt}`);
      // The answer is an earlier attempt's. If its object was deleted since, the next key is tried.
      if (attempt >= maxKeys || !isReplay(made) || (await find()) !== undefined) return made;
    } catch (error) {
      // The failure is an earlier attempt's, and the list has just shown that it created nothing: the next key is tried.
      if (attempt >= maxKeys || !isReplayedFailure(error)) return call(operation, () => Promise.reject(error));
    }
  }
}
